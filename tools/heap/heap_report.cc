#include "tools/heap/heap_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "heap/layout.h"
#include "tools/command/memory_limit.h"
#include "tools/command/printable_name.h"
#include "tools/heap/dominators.h"

namespace jackdaw::tools {

namespace {

constexpr std::size_t kMostRows = 20;

std::vector<std::uint64_t> weights_of(const HeapView& view) {
  std::vector<std::uint64_t> weights(view.flat().size());
  for (NodeId object = 0; object < view.graph().node_count; ++object)
    weights[view.node_of(object)] = view.graph().bytes_of(object);
  return weights;
}

// The view's graph with one more node for each group, between node 0 and the group's roots.
struct Grouped {
  FlatGraph graph;
  std::vector<HeapReport::RootGroup> groups;
};

// Roots and objects keep their numbers; groups come last.
Grouped group_roots(const HeapView& view) {
  Grouped grouped;
  const auto roots = view.roots_by_group();
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
    if (!view.is_live(object)) continue;
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

std::size_t share_class(const DumpedBlockUse& block) {
  if (block.live == block.slots) return 0;
  std::size_t number = 1;
  for (std::uint64_t live = 2 * block.live; live < block.slots && number < 4; live *= 2) ++number;
  return number;
}

std::vector<HeapReport::Blocks> count_blocks(const DumpedHeap& heap) {
  std::map<std::uint64_t, HeapReport::Blocks> classes;
  for (const DumpedBlockUse& use : heap.blocks) {
    const std::uint64_t size = use.slots == 1 ? 0 : use.object_bytes;
    const std::uint64_t blocks = (use.slots * use.object_bytes + heap::kBlockBytes - 1) / heap::kBlockBytes;
    HeapReport::Blocks& found = classes[size];
    found.object_bytes = size;
    found.blocks += blocks;
    found.bytes += blocks * heap::kBlockBytes;
    found.live_bytes += use.live * use.object_bytes;
    found.by_share[share_class(use)] += blocks;
  }
  std::vector<HeapReport::Blocks> sorted;
  sorted.reserve(classes.size());
  for (const auto& entry : classes) sorted.push_back(entry.second);
  std::ranges::sort(sorted, std::ranges::greater{}, &HeapReport::Blocks::unused_bytes);
  return sorted;
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:5.1f} %",
                     whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole));
}

const char* certainty(bool is_certain) { return is_certain ? "certain" : "any word"; }

using Output = std::back_insert_iterator<std::string>;

void format_block_row(const HeapReport::Blocks& row, const std::string& what, Output to) {
  fmt::format_to(to, "{:>11} {:>11} {}", row.bytes, row.unused_bytes(), share(row.unused_bytes(), row.bytes));
  for (const std::uint64_t blocks : row.by_share) fmt::format_to(to, " {:>6}", blocks);
  fmt::format_to(to, "  {}\n", what);
}

void format_blocks(const std::vector<HeapReport::Blocks>& blocks, Output to) {
  fmt::format_to(to, "\n{:>11} {:>11} {:>7} {:>6} {:>6} {:>6} {:>6} {:>6}  blocks of\n", "bytes", "unused",
                 "", "full", ">= 1/2", ">= 1/4", ">= 1/8", "less");
  HeapReport::Blocks all;
  for (const HeapReport::Blocks& row : blocks) {
    all.bytes += row.bytes;
    all.live_bytes += row.live_bytes;
    for (std::size_t i = 0; i < all.by_share.size(); ++i) all.by_share[i] += row.by_share[i];
  }
  format_block_row(all, "all objects", to);
  for (std::size_t i = 0; i < std::min(kMostRows, blocks.size()); ++i) {
    const std::uint64_t bytes = blocks[i].object_bytes;
    format_block_row(blocks[i], bytes == 0 ? "large ones" : fmt::format("{} bytes", bytes), to);
  }
  if (blocks.size() > kMostRows) fmt::format_to(to, "{:>32} more sizes\n", blocks.size() - kMostRows);
}

}  // namespace

HeapReport describe_heap(const HeapView& view, std::size_t most) {
  HeapReport report;
  report.heap = view.graph().name;
  report.roots = view.root_count();
  const auto weights = weights_of(view);
  const auto dominators = immediate_dominators(view.flat());
  count_objects(view, dominators, report);
  const auto sums = retained(view.flat(), dominators, weights);
  report.keepers = find_keepers(view, dominators, sums, most);
  report.root_words = find_root_words(view, sums, most);
  report.groups = root_groups(view, weights);
  if (view.dump() != nullptr) report.blocks = count_blocks(*view.dump());
  return report;
}

std::string format_heap(const HeapReport& report) {
  std::string out =
      fmt::format("{}: {} objects, {}, {} references, {} roots\n", printable(report.heap), report.objects,
                  describe_bytes(report.bytes), report.references, report.roots);
  const auto to = std::back_inserter(out);
  if (report.unreachable_objects != 0)
    fmt::format_to(to, "{} objects more are not reached from the roots\n", report.unreachable_objects);
  fmt::format_to(to, "\n{:>12} {:>12}         type\n", "objects", "bytes");
  for (std::size_t i = 0; i < std::min(kMostRows, report.types.size()); ++i) {
    const HeapReport::Type& type = report.types[i];
    fmt::format_to(to, "{:>12} {:>12} {} {}\n", type.objects, type.bytes, share(type.bytes, report.bytes),
                   printable(type.name));
  }
  if (report.types.size() > kMostRows)
    fmt::format_to(to, "{:>34} more types\n", report.types.size() - kMostRows);
  fmt::format_to(to, "\n{:>12} {:>12}         size\n", "objects", "bytes");
  for (const HeapReport::SizeClass& size : report.sizes)
    fmt::format_to(to, "{:>12} {:>12} {} from {} bytes\n", size.objects, size.bytes,
                   share(size.bytes, report.bytes), size.from_bytes);
  if (!report.blocks.empty()) format_blocks(report.blocks, to);
  fmt::format_to(to, "\n{:>12}         kept by these roots alone\n", "bytes");
  for (const HeapReport::RootGroup& group : report.groups)
    fmt::format_to(to, "{:>12} {} {} ({} roots, {})\n", group.retained_bytes,
                   share(group.retained_bytes, report.bytes), printable(group.where), group.roots,
                   certainty(group.is_certain));
  fmt::format_to(to, "\n{:>12}         kept by one root alone\n", "bytes");
  for (const Keeper& root : report.root_words)
    fmt::format_to(to, "{:>12} {} {} ({})\n", root.retained_bytes, share(root.retained_bytes, report.bytes),
                   printable(root.what), certainty(root.is_certain));
  fmt::format_to(to, "\n{:>12}         kept by one object alone\n", "bytes");
  for (const Keeper& keeper : report.keepers)
    fmt::format_to(to, "{:>12} {} {:{}}{}\n", keeper.retained_bytes,
                   share(keeper.retained_bytes, report.bytes), "", 2 * keeper.depth, printable(keeper.what));
  return out;
}

std::string heap_to_json(const HeapReport& report) {
  using Json = nlohmann::ordered_json;
  Json json{{"heap", report.heap},   {"objects", report.objects},
            {"bytes", report.bytes}, {"references", report.references},
            {"roots", report.roots}, {"unreachable_objects", report.unreachable_objects}};
  for (const char* const list : {"types", "sizes", "blocks", "root_groups", "root_words", "keepers"})
    json[list] = Json::array();
  for (const auto& type : report.types)
    json["types"].push_back({{"name", type.name}, {"objects", type.objects}, {"bytes", type.bytes}});
  for (const auto& size : report.sizes)
    json["sizes"].push_back(
        {{"from_bytes", size.from_bytes}, {"objects", size.objects}, {"bytes", size.bytes}});
  for (const auto& blocks : report.blocks)
    json["blocks"].push_back({{"object_bytes", blocks.object_bytes},
                              {"blocks", blocks.blocks},
                              {"bytes", blocks.bytes},
                              {"live_bytes", blocks.live_bytes},
                              {"by_share", blocks.by_share}});
  for (const auto& group : report.groups)
    json["root_groups"].push_back({{"where", group.where},
                                   {"roots", group.roots},
                                   {"retained_bytes", group.retained_bytes},
                                   {"certain", group.is_certain}});
  for (const auto& root : report.root_words)
    json["root_words"].push_back(
        {{"root", root.what}, {"retained_bytes", root.retained_bytes}, {"certain", root.is_certain}});
  for (const auto& keeper : report.keepers)
    json["keepers"].push_back(
        {{"object", keeper.what}, {"retained_bytes", keeper.retained_bytes}, {"depth", keeper.depth}});
  // Names come from files, so they may be no UTF-8.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace jackdaw::tools
