// HeapView: a heap for queries: objects with types and addresses, references, and roots with their places, as
// one graph.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/graph/dump_graph.h"
#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"
#include "tools/heap/dominators.h"
#include "tools/heap/symbols.h"

namespace jackdaw::tools {

/// Made from a dump, or from another graph. That has no addresses, but identifiers and names if `options` ask
/// for them and its file has them.
class HeapView {
 public:
  /// Reads the graph that `spec` names (graph_spec.h). Throws what make_graph() throws.
  explicit HeapView(const std::string& spec, const GraphOptions& options = {});
  HeapView(const HeapView&) = delete;
  HeapView& operator=(const HeapView&) = delete;

  [[nodiscard]] const Graph& graph() const { return heap_.graph; }
  /// Returns null when it is not a dump of Jackdaw's.
  [[nodiscard]] const DumpedHeap* dump() const { return is_dump_ ? &heap_ : nullptr; }

  // --- One graph of it all: node 0 leads to the roots, these to objects ---

  [[nodiscard]] const FlatGraph& flat() const { return flat_; }
  [[nodiscard]] std::uint32_t root_count() const {
    return static_cast<std::uint32_t>(heap_.graph.roots.size());
  }
  [[nodiscard]] std::uint32_t node_of_root(std::uint32_t root) const { return 1 + root; }
  [[nodiscard]] std::uint32_t node_of(NodeId object) const { return 1 + root_count() + object; }
  /// Returns nothing for node 0 and roots.
  [[nodiscard]] std::optional<NodeId> object_of(std::uint32_t node) const {
    if (node <= root_count()) return std::nullopt;
    return node - 1 - root_count();
  }

  /// Calls `visit` with the number of each slot that is not null and the object it refers to.
  template <class Visit>
  void for_each_reference(NodeId object, Visit&& visit) const {
    const auto slots = graph().slots_of(object);
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      if (slots[slot] != kNullNode) visit(slot, slots[slot]);
    }
  }

  // --- In words ---

  /// Returns text such as "0x7f12 (48 bytes, Node)".
  [[nodiscard]] std::string describe(NodeId object) const;
  /// Returns the calls that allocated an object, without the collector's, the innermost first: "function
  /// (file:line)". Empty unless the object was a sample of a profile.
  [[nodiscard]] std::vector<std::string> calls_that_allocated(NodeId object) const;
  /// Returns the name of the first reference from one object to the other, such as ".next", "[3]" or "static
  /// field Leak.cache"; empty where it has none. O(references of `from`).
  [[nodiscard]] std::string name_of_reference(NodeId from, NodeId to) const;
  /// Returns text such as "stack of thread 12, in function f, 1,024 bytes below its end". Where only the kind
  /// of place is known, the object that the root leads to follows.
  [[nodiscard]] std::string describe_root(std::uint32_t root) const;
  /// Returns the text of describe_root() without the kind of place.
  [[nodiscard]] std::string locate_root(std::uint32_t root) const;
  /// Returns the function whose frame holds a root in a stack, if it is known.
  [[nodiscard]] std::string function_of_root(std::uint32_t root) const;
  /// Returns the kind of the root's place: "stack of thread 12", "static data of libfoo.so".
  [[nodiscard]] std::string group_of_root(std::uint32_t root) const;
  /// Returns the roots in each kind of place, by its name.
  [[nodiscard]] std::map<std::string, std::vector<std::uint32_t>> roots_by_group() const;
  [[nodiscard]] bool is_certain_root(std::uint32_t root) const;
  [[nodiscard]] bool is_certain(NodeId object) const {
    return heap_.is_certain.empty() || heap_.is_certain[object];
  }
  [[nodiscard]] bool is_live(NodeId object) const { return heap_.is_live.empty() || heap_.is_live[object]; }

 private:
  void flatten();

  DumpedHeap heap_;
  bool is_dump_ = false;
  FlatGraph flat_;
  std::optional<Symbols> symbols_;
};

}  // namespace jackdaw::tools
