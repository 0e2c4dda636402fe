// Worker: one mutator thread. Its roots are places on its stack and in a large object that its stack refers
// to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "tests/soak/board.h"
#include "tests/soak/builder.h"
#include "tests/soak/graph.h"
#include "tests/soak/random.h"
#include "tests/soak/weak_link.h"

namespace jackdaw::soak {

/// A long link that outlives the thread that made it.
struct LastingLink {
  std::unique_ptr<void*> word;
  WeakLink link;
};

/// Lives on its thread's stack: what lies in it is scanned.
class Worker {
 public:
  Worker(Board& board, std::uint64_t seed);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Does one thing, as chance will have it.
  void do_round();
  /// Checks all that its roots lead to.
  void check_roots();
  /// Its long links; it makes no more.
  std::vector<LastingLink> take_long_links() { return std::move(long_links_); }

 private:
  static constexpr std::size_t kOnStack = 16;
  static constexpr std::size_t kMostRoots = 64;
  static constexpr std::size_t kMostAnchors = 4;
  static constexpr std::size_t kMostLinks = 32;

  // An uncollectable object that refers to a graph.
  struct Anchor {
    GC_hidden_pointer object;
    Reference graph;
  };

  Node*& entry_at(std::size_t place) {
    return place < kOnStack ? on_stack_[place] : in_heap_[place - kOnStack];
  }
  std::size_t any_place() { return random_.below(graphs_.size()); }
  Held root_at(std::size_t place) { return {entry_at(place), graphs_[place]}; }
  void put_root(const Held& held) {
    const std::size_t place = any_place();
    put(entry_at(place), graphs_[place], held);
  }
  std::vector<Held> some_roots();

  void build();
  void build_and_free();
  void share();
  void drop();
  void grow_roots();
  void anchor();
  void free_oldest_anchor();
  void link_weakly();
  void link_lastingly();
  void follow_short_link();
  void follow_long_link();
  void allocate_briefly();

  Board& board_;
  Random random_;
  Builder builder_{random_};
  std::vector<Reference> graphs_;  // of the places
  std::array<Node*, kOnStack> on_stack_{};
  Node** in_heap_ = nullptr;
  std::deque<Anchor> anchors_;
  void** short_words_;  // an object of the heap
  std::array<std::optional<WeakLink>, kMostLinks> short_links_;
  std::vector<LastingLink> long_links_;
};

}  // namespace jackdaw::soak
