#include "bench/inspect/heap_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "bench/command/memory_limit.h"
#include "bench/inspect/dominators.h"

namespace jackdaw::bench {

namespace {

constexpr std::size_t kMostTypes = 20;

std::vector<std::uint64_t> weights_of(const HeapView& view) {
  std::vector<std::uint64_t> weights(view.flat().size());
  for (NodeId object = 0; object < view.graph().node_count; ++object)
    weights[view.node_of(object)] = view.graph().bytes_of(object);
  return weights;
}

// The same graph with a node between node 0 and the roots of each group.
struct Grouped {
  FlatGraph graph;
  std::vector<HeapReport::RootGroup> groups;
};

// Roots keep their numbers, and objects theirs; groups come last.
Grouped group_roots(const HeapView& view) {
  Grouped grouped;
  std::map<std::string, std::vector<std::uint32_t>> roots;
  for (std::uint32_t root = 0; root < view.root_count(); ++root)
    roots[view.group_of_root(root)].push_back(root);
  const auto first = static_cast<std::uint32_t>(view.flat().size());
  FlatGraph& graph = grouped.graph;
  for (std::uint32_t i = 0; i < roots.size(); ++i) graph.successors.push_back(first + i);
  graph.end_node();
  for (std::uint32_t node = 1; node < first; ++node) {
    const auto successors = view.flat().of(node);
    graph.successors.insert(graph.successors.end(), successors.begin(), successors.end());
    graph.end_node();
  }
  for (const auto& [where, members] : roots) {
    HeapReport::RootGroup group{where, members.size(), 0, true};
    for (const std::uint32_t root : members) {
      graph.successors.push_back(view.node_of_root(root));
      group.is_certain = group.is_certain && view.is_certain_root(root);
    }
    graph.end_node();
    grouped.groups.push_back(group);
  }
  return grouped;
}

std::vector<HeapReport::RootGroup> root_groups(const HeapView& view, std::vector<std::uint64_t> weights) {
  Grouped grouped = group_roots(view);
  weights.resize(grouped.graph.size());
  const auto sums = retained(grouped.graph, immediate_dominators(grouped.graph), weights);
  for (std::size_t i = 0; i < grouped.groups.size(); ++i)
    grouped.groups[i].retained_bytes = sums[view.flat().size() + i];
  std::ranges::sort(grouped.groups, std::ranges::greater{}, &HeapReport::RootGroup::retained_bytes);
  return grouped.groups;
}

void count_objects(const HeapView& view, std::span<const std::uint32_t> dominators, HeapReport& report) {
  const Graph& graph = view.graph();
  std::vector<HeapReport::Type> types(graph.types.size());
  std::map<std::uint64_t, HeapReport::SizeClass> sizes;
  for (NodeId object = 0; object < graph.node_count; ++object) {
    const std::uint64_t bytes = graph.bytes_of(object);
    const bool is_reached = dominators[view.node_of(object)] != kNoNode;
    if (!view.is_live(object)) {
      report.unused_bytes += bytes;
      continue;
    }
    if (!is_reached) {
      ++report.unreachable_objects;
      continue;
    }
    ++report.objects;
    report.bytes += bytes;
    report.references += view.flat().of(view.node_of(object)).size();
    HeapReport::Type& type = types[graph.type_id_of(object)];
    ++type.objects;
    type.bytes += bytes;
    HeapReport::SizeClass& size = sizes[std::bit_floor(bytes)];
    ++size.objects;
    size.bytes += bytes;
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    types[i].name = graph.types[i].name;
    if (types[i].objects != 0) report.types.push_back(types[i]);
  }
  std::ranges::sort(report.types, std::ranges::greater{}, &HeapReport::Type::bytes);
  for (auto& [from, size] : sizes) {
    size.from_bytes = from;
    report.sizes.push_back(size);
  }
}

// The nodes of `among` with the greatest sums.
std::vector<std::uint32_t> greatest(std::vector<std::uint32_t> among, std::span<const std::uint64_t> sums,
                                    std::size_t most) {
  const std::size_t count = std::min(most, among.size());
  const auto by_sum = [&](std::uint32_t a, std::uint32_t b) { return sums[a] > sums[b]; };
  std::partial_sort(among.begin(), among.begin() + static_cast<std::ptrdiff_t>(count), among.end(), by_sum);
  among.resize(count);
  return among;
}

void find_keepers(const HeapView& view, std::span<const std::uint32_t> dominators,
                  std::span<const std::uint64_t> sums, std::size_t most, HeapReport& report) {
  std::vector<std::uint32_t> objects;
  std::vector<std::uint32_t> roots;
  for (std::uint32_t node = 1; node < dominators.size(); ++node) {
    if (!view.object_of(node)) {
      roots.push_back(node);
    } else if (dominators[node] != kNoNode && !view.object_of(dominators[node])) {
      objects.push_back(node);
    }
  }
  for (const std::uint32_t node : greatest(std::move(objects), sums, most))
    report.keepers.push_back({view.describe(*view.object_of(node)), sums[node], true});
  for (const std::uint32_t node : greatest(std::move(roots), sums, most)) {
    const std::uint32_t root = node - view.node_of_root(0);
    if (sums[node] != 0)
      report.root_words.push_back({view.describe_root(root), sums[node], view.is_certain_root(root)});
  }
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:5.1f} %",
                     whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole));
}

const char* certainty(bool is_certain) { return is_certain ? "certain" : "any word"; }

}  // namespace

HeapReport describe_heap(const HeapView& view, std::size_t most) {
  HeapReport report;
  report.heap = view.graph().name;
  report.roots = view.root_count();
  const auto weights = weights_of(view);
  const auto dominators = immediate_dominators(view.flat());
  count_objects(view, dominators, report);
  find_keepers(view, dominators, retained(view.flat(), dominators, weights), most, report);
  report.groups = root_groups(view, weights);
  return report;
}

std::string format_heap(const HeapReport& report) {
  std::string out = fmt::format("{}: {} objects, {}, {} references, {} roots\n", report.heap, report.objects,
                                describe_bytes(report.bytes), report.references, report.roots);
  const auto to = std::back_inserter(out);
  if (report.unused_bytes != 0)
    fmt::format_to(to, "{} between the objects, in blocks of theirs, are unused\n",
                   describe_bytes(report.unused_bytes));
  if (report.unreachable_objects != 0)
    fmt::format_to(to, "{} objects more are not reached from the roots\n", report.unreachable_objects);
  fmt::format_to(to, "\n{:>12} {:>12}         type\n", "objects", "bytes");
  for (std::size_t i = 0; i < std::min(kMostTypes, report.types.size()); ++i) {
    const HeapReport::Type& type = report.types[i];
    fmt::format_to(to, "{:>12} {:>12} {} {}\n", type.objects, type.bytes, share(type.bytes, report.bytes),
                   type.name);
  }
  if (report.types.size() > kMostTypes)
    fmt::format_to(to, "{:>34} more types\n", report.types.size() - kMostTypes);
  fmt::format_to(to, "\n{:>12} {:>12}         size\n", "objects", "bytes");
  for (const HeapReport::SizeClass& size : report.sizes)
    fmt::format_to(to, "{:>12} {:>12} {} from {} bytes\n", size.objects, size.bytes,
                   share(size.bytes, report.bytes), size.from_bytes);
  fmt::format_to(to, "\n{:>12}         kept by these roots alone\n", "bytes");
  for (const HeapReport::RootGroup& group : report.groups)
    fmt::format_to(to, "{:>12} {} {} ({} roots, {})\n", group.retained_bytes,
                   share(group.retained_bytes, report.bytes), group.where, group.roots,
                   certainty(group.is_certain));
  fmt::format_to(to, "\n{:>12}         kept by one root alone\n", "bytes");
  for (const HeapReport::Keeper& root : report.root_words)
    fmt::format_to(to, "{:>12} {} {} ({})\n", root.retained_bytes, share(root.retained_bytes, report.bytes),
                   root.what, certainty(root.is_certain));
  fmt::format_to(to, "\n{:>12}         kept by one object alone\n", "bytes");
  for (const HeapReport::Keeper& keeper : report.keepers)
    fmt::format_to(to, "{:>12} {} {}\n", keeper.retained_bytes, share(keeper.retained_bytes, report.bytes),
                   keeper.what);
  return out;
}

std::string heap_to_json(const HeapReport& report) {
  using Json = nlohmann::ordered_json;
  Json json{{"heap", report.heap},
            {"objects", report.objects},
            {"bytes", report.bytes},
            {"references", report.references},
            {"roots", report.roots},
            {"unused_bytes", report.unused_bytes},
            {"unreachable_objects", report.unreachable_objects}};
  for (const char* const list : {"types", "sizes", "root_groups", "root_words", "keepers"})
    json[list] = Json::array();
  for (const auto& type : report.types)
    json["types"].push_back({{"name", type.name}, {"objects", type.objects}, {"bytes", type.bytes}});
  for (const auto& size : report.sizes)
    json["sizes"].push_back(
        {{"from_bytes", size.from_bytes}, {"objects", size.objects}, {"bytes", size.bytes}});
  for (const auto& group : report.groups)
    json["root_groups"].push_back({{"where", group.where},
                                   {"roots", group.roots},
                                   {"retained_bytes", group.retained_bytes},
                                   {"certain", group.is_certain}});
  for (const auto& root : report.root_words)
    json["root_words"].push_back(
        {{"root", root.what}, {"retained_bytes", root.retained_bytes}, {"certain", root.is_certain}});
  for (const auto& keeper : report.keepers)
    json["keepers"].push_back({{"object", keeper.what}, {"retained_bytes", keeper.retained_bytes}});
  // Names come from files.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace jackdaw::bench
