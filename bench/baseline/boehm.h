// BoehmHeap: a graph in Boehm GC's heap, whose collection is timed beside ours.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "bench/baseline/baseline.h"
#include "bench/conservative/conservative_heap.h"
#include "tools/graph/graph.h"

namespace jackdaw::bench {

/// The graph as objects of libgc, of the same sizes and with references at the same places. Objects without
/// references are allocated as such (GC_MALLOC_ATOMIC); the others are scanned conservatively, word by word,
/// as programs that link libgc have it. `libgc_folder` is that of libgc_functions(). Throws InputError when
/// libgc is not there and when memory runs out.
class BoehmHeap final : public Baseline {
 public:
  BoehmHeap(const tools::Graph& graph, const CollectorSetting& setting, const std::string& libgc_folder)
      : heap_(libgc_functions(libgc_folder), setting, graph) {}

  [[nodiscard]] Phase phase() const override { return Phase::collection; }
  [[nodiscard]] std::string version() const override { return heap_.version(); }
  [[nodiscard]] std::uint32_t threads() const override { return heap_.threads(); }
  std::chrono::nanoseconds run() override { return heap_.collect(); }

 private:
  ConservativeHeap heap_;
};

}  // namespace jackdaw::bench
