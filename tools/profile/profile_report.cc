#include "tools/profile/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/profile/code_places.h"

namespace jackdaw::tools {

namespace {

double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

double percent(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

AllocationSite total_of(const std::vector<AllocationSite>& sites) {
  AllocationSite total;
  for (const AllocationSite& site : sites) {
    total.objects += site.objects;
    total.bytes += site.bytes;
    total.live_objects += site.live_objects;
    total.live_bytes += site.live_bytes;
  }
  return total;
}

}  // namespace

std::vector<AllocationSite> allocation_sites(const ProfileFile& profile, SiteOrder order) {
  CodePlaces places(profile);
  std::map<std::string, AllocationSite> by_name;
  std::map<std::string, std::uint64_t> most_bytes;  // of a stack of that site
  for (const ProfileFile::Sample& sample : profile.samples) {
    const auto& addresses = sample.addresses;
    const auto call = std::ranges::find_if_not(
        addresses, [&](std::uint64_t address) { return places.is_of_collector(address); });
    const std::string name = call == addresses.end() ? "(no frame of the program's)" : places.name_of(*call);
    AllocationSite& site = by_name[name];
    site.name = name;
    site.objects += sample.objects;
    site.bytes += sample.bytes;
    site.live_objects += sample.live_objects;
    site.live_bytes += sample.live_bytes;
    std::uint64_t& most = most_bytes[name];
    if (call == addresses.end() || std::next(call) == addresses.end() || sample.bytes < most) continue;
    most = sample.bytes;
    site.caller = places.name_of(*std::next(call));
  }
  std::vector<AllocationSite> sites;
  sites.reserve(by_name.size());
  for (auto& [name, site] : by_name) sites.push_back(std::move(site));
  const auto key = [order](const AllocationSite& site) {
    return order == SiteOrder::live ? site.live_bytes : site.bytes;
  };
  std::ranges::stable_sort(sites, std::greater{}, key);
  return sites;
}

std::string format_profile(const ProfileFile& profile, const std::vector<AllocationSite>& sites,
                           std::size_t most) {
  const AllocationSite total = total_of(sites);
  std::string out = fmt::format(
      "allocated: {:.1f} MiB in {} objects; of these {:.1f} MiB alive in {} objects\n"
      "estimated from samples, one every {} bytes\n\n{:>11} {:>5} {:>11} {:>5} {:>6}  {}\n",
      mib(total.bytes), total.objects, mib(total.live_bytes), total.live_objects, profile.every, "MiB", "%",
      "live MiB", "%", "alive%", "allocated in");
  for (std::size_t i = 0; i < std::min(most, sites.size()); ++i) {
    const AllocationSite& site = sites[i];
    fmt::format_to(std::back_inserter(out), "{:>11.1f} {:>5.1f} {:>11.1f} {:>5.1f} {:>6.1f}  {}{}\n",
                   mib(site.bytes), percent(site.bytes, total.bytes), mib(site.live_bytes),
                   percent(site.live_bytes, total.live_bytes), percent(site.live_bytes, site.bytes),
                   site.name, site.caller.empty() ? "" : " < " + site.caller);
  }
  if (sites.size() > most) fmt::format_to(std::back_inserter(out), "and {} more\n", sites.size() - most);
  return out;
}

std::string profile_to_json(const ProfileFile& profile, const std::vector<AllocationSite>& sites) {
  const auto figures = [](const AllocationSite& site) {
    return nlohmann::ordered_json{{"bytes", site.bytes},
                                  {"objects", site.objects},
                                  {"live_bytes", site.live_bytes},
                                  {"live_objects", site.live_objects}};
  };
  nlohmann::ordered_json json = figures(total_of(sites));
  json["every_bytes"] = profile.every;
  json["sites"] = nlohmann::ordered_json::array();
  for (const AllocationSite& site : sites) {
    nlohmann::ordered_json entry = figures(site);
    entry["site"] = site.name;
    entry["caller"] = site.caller;
    json["sites"].push_back(std::move(entry));
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace jackdaw::tools
