// Arena: the heap of this example. Nodes of different sizes lie one after the other in one range of memory; a
// bitmap beside it has a mark for every 16 bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

class Node;

/// An entry of an ephemeron table: it keeps its value alive while both the table and the key are alive.
struct Ephemeron {
  Node* key = nullptr;
  Node* value = nullptr;
  bool operator==(const Ephemeron&) const = default;
};

/// The numbers of a node's fields of each kind.
struct Fields {
  std::uint32_t edges = 0;
  std::uint16_t weak = 0;
  std::uint16_t ephemerons = 0;
};

/// A graph's node: a header, then edges, which keep their targets alive, then weak references, which do not,
/// then a table of ephemerons. Any of them may be null.
class Node {
 public:
  explicit Node(Fields fields) : fields_(fields) {}

  std::span<Node*> edges() { return {reinterpret_cast<Node**>(this + 1), fields_.edges}; }
  std::span<Node*> weak_references() { return {edges().data() + fields_.edges, fields_.weak}; }
  std::span<Ephemeron> ephemerons() {
    return {reinterpret_cast<Ephemeron*>(weak_references().data() + fields_.weak), fields_.ephemerons};
  }
  bool has_weak_fields() const { return fields_.weak != 0 || fields_.ephemerons != 0; }

 private:
  friend class WeakNotes;

  Fields fields_;
  Node* next_noted_ = nullptr;  // for WeakNotes
};

/// One thread allocates nodes, which are never freed; any number of threads may read and set marks.
class Arena {
 public:
  static constexpr std::size_t kGranuleBytes = 16;

  /// Makes room for nodes of this number of bytes in all (see bytes_of). Throws std::bad_alloc.
  explicit Arena(std::size_t bytes)
      : memory_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kGranuleBytes}))),
        marks_(bytes / kGranuleBytes / 64 + 1) {}

  /// Returns the bytes of a node with such fields.
  static std::size_t bytes_of(Fields fields) {
    const std::size_t bytes = sizeof(Node) + (std::size_t{fields.edges} + fields.weak) * sizeof(Node*) +
                              fields.ephemerons * sizeof(Ephemeron);
    return (bytes + kGranuleBytes - 1) / kGranuleBytes * kGranuleBytes;
  }

  /// Returns a node whose fields are all null. There must be room for it.
  Node* allocate(Fields fields) {
    Node* const node = new (memory_.get() + used_) Node(fields);
    for (Node*& edge : node->edges()) edge = nullptr;
    for (Node*& reference : node->weak_references()) reference = nullptr;
    for (Ephemeron& ephemeron : node->ephemerons()) ephemeron = {};
    nodes_.push_back(node);
    used_ += bytes_of(fields);
    return node;
  }
  /// Returns all nodes in the order of their addresses.
  std::span<Node* const> nodes() const { return nodes_; }

  /// Returns the word that holds a node's mark bit.
  std::atomic<std::uint64_t>& mark_word_of(const Node* node) { return marks_[granule_of(node) / 64]; }
  std::uint64_t mark_bit_of(const Node* node) const { return std::uint64_t{1} << (granule_of(node) % 64); }

  // Relaxed: a mark orders nothing, so a caller beside marking threads may read an old one.
  bool is_marked(const Node* node) {
    return (mark_word_of(node).load(std::memory_order_relaxed) & mark_bit_of(node)) != 0;
  }
  // Relaxed: no thread marks meanwhile.
  void clear_marks() {
    for (std::atomic<std::uint64_t>& word : marks_) word.store(0, std::memory_order_relaxed);
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{kGranuleBytes}); }
  };

  std::size_t granule_of(const Node* node) const {
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(node) - memory_.get()) / kGranuleBytes;
  }

  std::unique_ptr<std::byte, Free> memory_;
  std::size_t used_ = 0;
  std::vector<Node*> nodes_;
  std::vector<std::atomic<std::uint64_t>> marks_;
};
