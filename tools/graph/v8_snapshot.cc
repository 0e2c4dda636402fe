#include "tools/graph/v8_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tools/command/printable_name.h"
#include "tools/command/saturating.h"
#include "tools/graph/footprint.h"
#include "tools/graph/identifier_index.h"
#include "tools/graph/v8_names.h"
#include "tools/graph/v8_records.h"

namespace jackdaw::tools {

namespace {

class SnapshotGraph final : public V8Visitor {
 public:
  SnapshotGraph(ByteSource& source, const GraphOptions& options) : source_(source), options_(options) {
    graph_.has_headers = options.headers;
    graph_.slot_begin.push_back(0);
    graph_.roots.push_back(0);
  }

  void begin_nodes(const std::vector<std::string>& node_kinds,
                   const std::vector<std::string>& edge_kinds) override {
    for (const std::string& kind : node_kinds) {
      kind_has_constructors_.push_back(kind == "object" || kind == "native");
      add_type(name_to_keep("(" + kind + ")"));
    }
    for (const std::string& kind : edge_kinds) kind_is_weak_.push_back(kind == "weak");
    if (options_.as_in_file) names_ = std::make_shared<V8Names>(node_kinds, edge_kinds);
  }

  // Until its edges have come, slot_begin holds a node's number of edges where its slots will end.
  void visit_node(const V8Node& node) override {
    if (graph_.node_count == kMaximumNodes)
      fail(fmt::format("more than {} objects, the most that a graph can have", kMaximumNodes));
    if (names_ != nullptr) names_->add_node(static_cast<NodeId>(graph_.node_count), node.kind, node.name);
    ++graph_.node_count;
    graph_.node_types.push_back(type_of(node));
    graph_.node_bytes.push_back(node.self_bytes);
    if (options_.as_in_file) graph_.identifiers.push_back(node.identifier);
    graph_.slot_begin.push_back(node.edge_count);
    heap_bytes_ = saturating_add(heap_bytes_, node.self_bytes);
    largest_name_ = std::max(largest_name_, node.name);
    require_memory_so_far();
  }

  void visit_edge(const V8Edge& edge) override {
    finish_nodes();
    if (node_ == graph_.node_count) fail("more edges than the nodes tell of; must be as many");
    ++edges_;
    if (kind_is_weak_[edge.kind]) return;
    if (names_ != nullptr) names_->add_slot(edge.kind, edge.name);
    graph_.slots.push_back(static_cast<NodeId>(edge.target));
    require_memory_so_far();
  }

  void visit_string(std::uint64_t number, const std::string& text) override {
    strings_ = number + 1;
    if (names_ != nullptr) names_->add_string(number, text);
    const std::uint32_t constructor = constructors_.number_of(number);
    if (constructor == IdentifierIndex::kAbsent) return;
    graph_.types[kind_has_constructors_.size() + constructor].name = name_to_keep(text);
  }

  Graph finish() {
    finish_nodes();
    if (node_ != graph_.node_count) fail("fewer edges than the nodes tell of; must be as many");
    if (graph_.node_count == 0) fail("the snapshot has no node; must have one");
    if (largest_name_ >= strings_)
      fail(fmt::format("a node's name is string {}; must be below {}", largest_name_, strings_));
    find_arrays();
    if (!options_.as_in_file) make_room_for_slots();
    require_memory(source_.name(), description_bytes(graph_), heap_bytes(graph_), options_.heap_copies,
                   options_.memory_limit_bytes);
    graph_.names = names_;
    return std::move(graph_);
  }

 private:
  TypeId type_of(const V8Node& node) {
    const auto kind = static_cast<TypeId>(node.kind);
    if (!kind_has_constructors_[kind]) return kind;
    const auto [constructor, is_new] = constructors_.insert(node.name);
    if (is_new) add_type("");
    return static_cast<TypeId>(kind_has_constructors_.size()) + constructor;
  }
  // A type is data until one of its nodes has a slot.
  void add_type(const std::string& name) { graph_.types.push_back({NodeType::Layout::data, 0, name}); }

  void finish_nodes() {
    for (; node_ < graph_.node_count && edges_ == graph_.slot_begin[node_ + 1]; ++node_) {
      graph_.slot_begin[node_ + 1] = graph_.slots.size();
      edges_ = 0;
    }
  }

  void find_arrays() {
    for (NodeId node = 0; node < graph_.node_count; ++node) {
      if (!graph_.slots_of(node).empty())
        graph_.types[graph_.node_types[node]].layout = NodeType::Layout::array;
    }
  }

  void make_room_for_slots() {
    for (NodeId node = 0; node < graph_.node_count; ++node) {
      const std::uint64_t header = kReferenceBytes * graph_.first_slot_word(graph_.type_of(node).layout);
      const std::uint64_t least = header + kReferenceBytes * graph_.slots_of(node).size();
      graph_.node_bytes[node] = std::max({round_up_to_8(graph_.node_bytes[node]), least, kReferenceBytes});
    }
  }

  void require_memory_so_far() const {
    // Vectors that double hold up to three times their contents while they grow.
    constexpr std::uint64_t kPerNode = 3 * (sizeof(TypeId) + 3 * sizeof(std::uint64_t));
    constexpr std::uint64_t kPerConstructor =
        IdentifierIndex::kPeakBytesPerIdentifier + 3 * sizeof(NodeType) + kLongestName;
    const std::uint64_t tables = graph_.node_count * kPerNode + graph_.slots.size() * 3 * sizeof(NodeId) +
                                 constructors_.size() * kPerConstructor +
                                 (names_ == nullptr ? 0 : names_->table_bytes());
    tools::require_memory_so_far(source_, tables, heap_bytes_, options_.heap_copies,
                                 options_.memory_limit_bytes);
  }

  [[noreturn]] void fail(const std::string& message) const { source_.fail(source_.offset(), message); }

  ByteSource& source_;
  const GraphOptions& options_;
  Graph graph_;
  std::shared_ptr<V8Names> names_;           ///< if they are wanted
  std::vector<bool> kind_has_constructors_;  ///< the nodes' types: the kinds first, then constructors
  std::vector<bool> kind_is_weak_;           ///< of edges
  IdentifierIndex constructors_;             ///< by the numbers of their names
  std::uint64_t heap_bytes_ = 0;
  std::uint64_t largest_name_ = 0;
  std::uint64_t strings_ = 0;
  std::uint64_t node_ = 0;   ///< the node of the present edges
  std::uint64_t edges_ = 0;  ///< its edges so far
};

}  // namespace

Graph read_v8_snapshot(const std::string& path, const GraphOptions& options) {
  ByteSource source(path);
  return read_v8_snapshot(source, options);
}

Graph read_v8_snapshot(ByteSource& source, const GraphOptions& options) {
  SnapshotGraph graph(source, options);
  visit_v8_snapshot(source, graph);
  return graph.finish();
}

}  // namespace jackdaw::tools
