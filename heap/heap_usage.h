// HeapUsage: how much of a heap is in use, for those who run a program.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/check.h"

namespace jackdaw::heap {

/// A number of bytes that any thread reads and one thread at a time changes.
// Relaxed, everywhere: the numbers publish nothing. A caller that needs several to agree keeps the heap from
// changing.
class ByteCount {
 public:
  operator std::uint64_t() const {  // NOLINT(google-explicit-constructor): it is a number
    return bytes_.load(std::memory_order_relaxed);
  }
  void add(std::uint64_t bytes) { bytes_.store(*this + bytes, std::memory_order_relaxed); }
  void subtract(std::uint64_t bytes) {
    JACKDAW_CHECK(bytes <= *this);
    bytes_.store(*this - bytes, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> bytes_{0};
};

/// Bytes of whole blocks, except for `allocated`. Chunk headers and blocks that were never written to count
/// nowhere.
struct HeapUsage {
  ByteCount used;        ///< in blocks that hold objects, and in spares of allocators
  ByteCount free;        ///< in free blocks that have memory
  ByteCount given_back;  ///< in free blocks whose memory the system has back
  ByteCount taken;       ///< in all chunks that there ever were
  ByteCount allocated;   ///< handed out to allocators since the start, by whole free runs
};

}  // namespace jackdaw::heap
