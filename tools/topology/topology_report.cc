#include "tools/topology/topology_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "machine/usable_processors.h"
#include "tools/command/memory_limit.h"
#include "tools/command/named_values.h"

namespace jackdaw::tools {

namespace {

constexpr NamedValues<gc::WriteTrackingMethod, 3> kWriteTrackingMethods{
    {{"none", gc::WriteTrackingMethod::none},
     {"PAGEMAP_SCAN", gc::WriteTrackingMethod::pagemap_scan},
     {"soft-dirty bits", gc::WriteTrackingMethod::soft_dirty}}};

std::string amount(std::uint64_t bytes) { return bytes == 0 ? "unknown" : describe_bytes(bytes); }

std::string counted(std::uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// Returns ranges of ascending numbers, such as "0-3,8".
std::string ranges(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(numbers[first]);
    if (last > first) text += '-' + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

MachineReport::Node describe_node(const machine::Topology& machine, std::uint32_t number) {
  MachineReport::Node node;
  node.memory = machine.nodes()[number];
  std::set<std::uint32_t> cores;
  for (const machine::Processor& processor : machine.processors()) {
    if (processor.node != number) continue;
    node.processors.push_back(processor.system_number);
    cores.insert(processor.core);
  }
  std::ranges::sort(node.processors);
  node.cores = static_cast<std::uint32_t>(cores.size());
  for (std::uint32_t to = 0; to < machine.node_count(); ++to)
    node.distances.push_back(machine.distance(number, to));
  return node;
}

void format_heading(const MachineReport& report, std::string& out) {
  const auto line = [&](const char* name, const std::string& text) {
    fmt::format_to(std::back_inserter(out), "{:<11} {}\n", name, text);
  };
  line("machine", report.is_there ? "this one" : "described by the environment (HWLOC_...)");
  line("processors",
       fmt::format("{} on {} on {}; {} can run at once", counted(report.processors, "processor"),
                   counted(report.cores, "core"), counted(report.nodes.size(), "memory node"),
                   counted(report.usable_processors, "thread")));
  line("memory", describe_bytes(report.available_bytes) + " that this process can still take");
  line("writes", std::string(name_of(kWriteTrackingMethods, report.write_tracking)));
  for (const machine::CacheKind& cache : report.caches) {
    line(fmt::format("L{} cache", cache.level).c_str(),
         fmt::format("{} of {}, each for {}", cache.count, describe_bytes(cache.bytes),
                     counted(cache.processors, "processor")));
  }
}

void format_nodes(const MachineReport& report, std::string& out) {
  std::size_t width = std::string_view("processors").size();
  for (const MachineReport::Node& node : report.nodes)
    width = std::max(width, ranges(node.processors).size());
  fmt::format_to(std::back_inserter(out), "\n{:>4} {:>6} {:>5}  {:<{}} {:>10}  distance to", "node", "system",
                 "cores", "processors", width, "memory");
  for (std::size_t to = 0; to < report.nodes.size(); ++to)
    fmt::format_to(std::back_inserter(out), " {:>3}", to);
  out += '\n';
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const MachineReport::Node& node = report.nodes[i];
    fmt::format_to(std::back_inserter(out), "{:>4} {:>6} {:>5}  {:<{}} {:>10}  {:>11}", i,
                   node.memory.system_number, node.cores, ranges(node.processors), width,
                   amount(node.memory.bytes), "");
    for (const std::uint32_t distance : node.distances)
      fmt::format_to(std::back_inserter(out), " {:>3}", distance);
    out += '\n';
  }
}

void format_workers(const MachineReport& report, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\nmark threads, tied to: {}\n{:>6} {:>4} {:>4} {:>9}\n",
                 name_of(machine::kBindings, report.binding), "thread", "node", "core", "processor");
  for (std::size_t i = 0; i < report.homes.size(); ++i) {
    const machine::Processor& home = report.homes[i];
    fmt::format_to(std::back_inserter(out), "{:>6} {:>4} {:>4} {:>9}\n", i, home.node, home.core,
                   home.system_number);
  }
}

}  // namespace

MachineReport describe_machine(const machine::Topology& machine, std::uint32_t threads,
                               machine::Binding binding) {
  MachineReport report;
  report.is_there = machine.is_this_machine();
  report.cores = machine.core_count();
  report.processors = machine.processor_count();
  report.usable_processors = machine::usable_processors();
  report.available_bytes = available_memory_bytes();
  report.write_tracking = gc::WriteTracking().start();
  report.caches.assign(machine.caches().begin(), machine.caches().end());
  for (std::uint32_t node = 0; node < machine.node_count(); ++node)
    report.nodes.push_back(describe_node(machine, node));
  report.binding = machine.resolved(binding);
  for (const std::uint32_t home : machine.homes_of_workers(threads))
    report.homes.push_back(machine.processors()[home]);
  return report;
}

std::string format_machine(const MachineReport& report) {
  std::string out;
  format_heading(report, out);
  format_nodes(report, out);
  format_workers(report, out);
  return out;
}

std::string machine_to_json(const MachineReport& report) {
  using Json = nlohmann::ordered_json;
  Json json = {{"is_there", report.is_there},
               {"processors", report.processors},
               {"cores", report.cores},
               {"usable_processors", report.usable_processors},
               {"available_bytes", report.available_bytes},
               {"write_tracking", name_of(kWriteTrackingMethods, report.write_tracking)},
               {"caches", Json::array()},
               {"nodes", Json::array()},
               {"binding", name_of(machine::kBindings, report.binding)},
               {"threads", Json::array()}};
  for (const machine::CacheKind& cache : report.caches) {
    json["caches"].push_back({{"level", cache.level},
                              {"bytes", cache.bytes},
                              {"count", cache.count},
                              {"processors", cache.processors}});
  }
  for (const MachineReport::Node& node : report.nodes) {
    json["nodes"].push_back({{"system_number", node.memory.system_number},
                             {"bytes", node.memory.bytes},
                             {"cores", node.cores},
                             {"processors", node.processors},
                             {"distances", node.distances}});
  }
  for (const machine::Processor& home : report.homes) {
    json["threads"].push_back({{"node", home.node}, {"core", home.core}, {"processor", home.system_number}});
  }
  return json.dump(2) + "\n";
}

}  // namespace jackdaw::tools
