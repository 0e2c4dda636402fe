// Arena: the heap of this example. Nodes of different sizes lie one after the other in one range of memory,
// and beside it lies a bitmap with a mark for every 16 bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

/// A graph's node: how many edges it has, then the edges, any of which may be null.
class Node {
 public:
  explicit Node(std::uint64_t edges) : edges_(edges) {}

  std::span<Node*> edges() { return {reinterpret_cast<Node**>(this + 1), edges_}; }

 private:
  std::uint64_t edges_;
};

/// Nodes are allocated by one thread and never freed; marks may be read and set by any number of threads.
class Arena {
 public:
  static constexpr std::size_t kGranuleBytes = 16;

  /// Room for nodes of so many bytes in all (see bytes_of). Throws std::bad_alloc.
  explicit Arena(std::size_t bytes)
      : memory_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kGranuleBytes}))),
        marks_(bytes / kGranuleBytes / 64 + 1) {}

  /// The bytes that a node with so many edges takes.
  static std::size_t bytes_of(std::uint64_t edges) {
    const std::size_t bytes = sizeof(Node) + edges * sizeof(Node*);
    return (bytes + kGranuleBytes - 1) / kGranuleBytes * kGranuleBytes;
  }

  /// A node whose edges are all null. There must be room for it.
  Node* allocate(std::uint64_t edges) {
    Node* const node = new (memory_.get() + used_) Node(edges);
    for (Node*& edge : node->edges()) edge = nullptr;
    used_ += bytes_of(edges);
    return node;
  }

  /// Where a node's mark is: a bit of a word.
  std::atomic<std::uint64_t>& mark_word_of(const Node* node) { return marks_[granule_of(node) / 64]; }
  static std::uint64_t mark_bit(std::size_t granule) { return std::uint64_t{1} << (granule % 64); }
  std::uint64_t mark_bit_of(const Node* node) const { return mark_bit(granule_of(node)); }

  // Relaxed: a mark orders nothing; whoever asks while others mark may be told the past.
  bool is_marked(const Node* node) {
    return (mark_word_of(node).load(std::memory_order_relaxed) & mark_bit_of(node)) != 0;
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
  std::vector<std::atomic<std::uint64_t>> marks_;
};
