#include "tools/report/flame_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/profile/code_places.h"

namespace jackdaw::tools {

namespace {

using nlohmann::json;

struct Frame {
  std::size_t name = 0;
  std::size_t depth = 0;
  ProfileFile::Sample sums = {};  // without addresses
  std::vector<std::size_t> called = {};
};

// A tree of frames with distinct functions below each. Stacks may be long, so nothing here is recursive.
class FrameTree {
 public:
  explicit FrameTree(const ProfileFile& profile) : places_(profile) {
    name_number("all");
    for (const ProfileFile::Sample& sample : profile.samples) add(sample);
  }

  json to_json() {
    json result = {{"names", names_}, {"frames", json::array()}};
    std::vector<std::size_t> left = {0};
    while (!left.empty()) {
      Frame& frame = frames_[left.back()];
      left.pop_back();
      result["frames"].push_back({{"name", frame.name},
                                  {"depth", frame.depth},
                                  {"bytes", frame.sums.bytes},
                                  {"objects", frame.sums.objects},
                                  {"live_bytes", frame.sums.live_bytes},
                                  {"live_objects", frame.sums.live_objects}});
      std::ranges::stable_sort(frame.called, std::greater{},
                               [this](std::size_t number) { return frames_[number].sums.bytes; });
      left.insert(left.end(), frame.called.rbegin(), frame.called.rend());
    }
    return result;
  }

 private:
  std::size_t name_number(const std::string& name) {
    const auto [place, is_new] = number_of_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return place->second;
  }
  void add(const ProfileFile::Sample& sample) {
    const auto& addresses = sample.addresses;
    const auto innermost = std::ranges::find_if_not(
        addresses, [this](std::uint64_t address) { return places_.is_of_collector(address); });
    std::size_t frame = 0;
    add_to(frames_[frame], sample);
    for (auto call = addresses.end(); call != innermost;) {
      frame = called_by(frame, name_number(places_.function_at(*--call)));
      add_to(frames_[frame], sample);
    }
  }
  static void add_to(Frame& frame, const ProfileFile::Sample& sample) {
    frame.sums.objects += sample.objects;
    frame.sums.bytes += sample.bytes;
    frame.sums.live_objects += sample.live_objects;
    frame.sums.live_bytes += sample.live_bytes;
  }
  // Returns the number of the frame of that name below `caller`, which is made if it is new.
  std::size_t called_by(std::size_t caller, std::size_t name) {
    const auto [place, is_new] = below_.try_emplace({caller, name}, frames_.size());
    if (is_new) {
      frames_[caller].called.push_back(frames_.size());
      frames_.push_back({name, frames_[caller].depth + 1});
    }
    return place->second;
  }

  CodePlaces places_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> number_of_;
  std::vector<Frame> frames_ = {{}};
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> below_;
};

}  // namespace

json flame_graph(const ProfileFile& profile) {
  json result = FrameTree(profile).to_json();
  result["kind"] = "profile";
  result["every_bytes"] = profile.every;
  return result;
}

}  // namespace jackdaw::tools
