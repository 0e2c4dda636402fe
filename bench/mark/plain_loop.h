// PlainLoop: the time of a mark loop that does only what marking needs: a bound that can be reached, unlike
// that of reading the objects' lines.
//
// It has one thread, no statistics and no sharing. A found object is pushed on a stack, prefetched when it
// moves to a ring of 64, and visited when it leaves that. Marks lie in a separate bitmap. One look-up in the
// block table tells where an object starts, how large it is, and whether it holds references. Words that may
// be addresses are compared with the heap's range four at a time, by AVX2.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "base/page_array.h"
#include "bench/mark/line_reads.h"
#include "heap/block_map.h"

namespace jackdaw::bench {

class PlainLoop {
 public:
  /// How references are found: by type descriptors, or in all words of an object.
  enum class Objects : std::uint8_t { typed, conservative };

  /// Marks the objects that the map contains now. `roots`: addresses in objects; not null. Throws InputError
  /// and std::bad_alloc when memory runs out, and InputError where the processor lacks AVX2.
  PlainLoop(const heap::BlockMap& map, Objects objects, std::vector<std::uintptr_t> roots);

  /// Clears its marks and marks everything; returns the time of both. The heap must not change meanwhile.
  std::chrono::duration<double, std::milli> run();
  /// Returns how many objects the last run marked.
  [[nodiscard]] std::uint64_t objects_marked() const { return objects_marked_; }

 private:
  const heap::BlockMap& map_;
  const Objects objects_;
  const std::vector<std::uintptr_t> roots_;
  LineMemory marks_;
  base::PageArray<std::uint64_t> stack_;
  std::uint64_t objects_marked_ = 0;
};

/// The plain loop's times beside ours.
struct PlainLoopTimes {
  std::uint64_t objects_marked = 0;
  std::vector<double> wall_ms;  ///< once for each run of ours, in turn with ours
  double median_ms = 0;
};

}  // namespace jackdaw::bench
