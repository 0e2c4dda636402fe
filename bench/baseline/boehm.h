// BoehmHeap: the same graph in Boehm GC's heap, to time its collection beside ours.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "bench/baseline/baseline.h"
#include "bench/graph/graph.h"

namespace jackdaw::bench {

/// The graph as objects of libgc, of the same sizes and with references at the same places. Objects without
/// references are allocated as such (GC_MALLOC_ATOMIC); the others are scanned conservatively, word by word,
/// as programs that link libgc have it. The only roots are the graph's; neither the program's data nor its
/// libraries' are scanned. libgc is one to a process, so there can be one BoehmHeap in a process's life.
class BoehmHeap final : public Baseline {
 public:
  /// Starts libgc with `markers` mark threads, the collecting one included, and builds the graph. Throws
  /// InputError when memory runs out.
  BoehmHeap(const Graph& graph, unsigned markers);

  [[nodiscard]] Phase phase() const override { return Phase::collection; }
  /// Mark threads that libgc really uses.
  [[nodiscard]] std::uint32_t threads() const override;
  /// One GC_gcollect().
  std::chrono::nanoseconds run() override;

 private:
  void** roots_ = nullptr;  // memory of libgc's, itself a root
};

}  // namespace jackdaw::bench
