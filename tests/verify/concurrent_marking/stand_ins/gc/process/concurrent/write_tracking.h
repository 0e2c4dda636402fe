// Stands in for gc/process/concurrent/write_tracking.h: a model of what the system does about writes to armed
// pages.
//
// An entry of the page table says whether a page is armed; one that is not, or never was, counts as written.
// A processor that stores looks there, or at what it remembers of it, which may be older. Arming is done
// under the page table's lock: it changes entries, and interrupts the processors to have them forget. The
// interrupt comes between two instructions, never between a look at the entry and the store that it allows.
// What a processor did before is seen by who armed, and what that one did before by the processor. A store
// that is not allowed faults: under the lock, the page counts as written from now on, and then the store is
// tried again.
//
// So a store either comes before the arming, and is seen after it, or its page counts as written before
// others see the store. What a processor remembers is a relaxed read of the entry, stale at most until the
// interrupt. A page is as long as a block, and the pages of a range are in one piece of the page table.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "base/address_range.h"
#include "gc/process/threads/thread_registry.h"
#include "heap/layout.h"
#include "tests/verify/verify.h"

namespace verify {

namespace pages {

inline constexpr std::uintptr_t kBytes = jackdaw::heap::kBlockBytes;
inline Mutex lock;
// Each page of the only chunk has an entry.
inline std::array<std::atomic<std::uint32_t>, jackdaw::heap::kBlocksPerChunk> is_armed;

inline std::atomic<std::uint32_t>& entry_of(std::uintptr_t address) {
  return is_armed[address % jackdaw::heap::kChunkBytes / kBytes];
}

// Returns a bit for each page of the range that was written, from its first on. Here and below, the entries'
// accesses are relaxed: the locks order them.
inline std::uint32_t find_written(std::uintptr_t begin, std::uintptr_t end, bool arms) {
  const std::lock_guard held(lock);
  std::uint32_t written = 0;
  for (std::uintptr_t page = begin; page < end; page += kBytes) {
    if (entry_of(page).load(std::memory_order_relaxed) != 0) continue;
    written |= 1U << (page - begin) / kBytes;
    if (arms) entry_of(page).store(1, std::memory_order_relaxed);
  }
  if (!arms || written == 0 || program_thread::is_stopped) return written;
  const std::lock_guard interrupt(program_thread::instruction);
  return written;
}
inline bool try_to_store(std::uintptr_t* word, std::uintptr_t value) {
  const std::lock_guard uninterrupted(program_thread::instruction);
  if (entry_of(reinterpret_cast<std::uintptr_t>(word)).load(std::memory_order_relaxed) != 0) return false;
  std::atomic_ref(*word).store(value, std::memory_order_relaxed);
  return true;
}
inline void fault(const std::uintptr_t* word) {
  const std::lock_guard held(lock);
  entry_of(reinterpret_cast<std::uintptr_t>(word)).store(0, std::memory_order_relaxed);
}

}  // namespace pages

/// The way of the program's one thread to write to memory that may be armed.
inline void store(std::uintptr_t* word, std::uintptr_t value) {
  while (!pages::try_to_store(word, value)) pages::fault(word);
}

}  // namespace verify

namespace jackdaw::gc {

enum class WriteTrackingMethod : std::uint8_t { none, pagemap_scan };

class WriteTracking {
 public:
  static WriteTrackingMethod start(WriteTrackingMethod last) { return last; }
  static WriteTrackingMethod method() { return WriteTrackingMethod::pagemap_scan; }
  static void stop() {}
  static bool arms_while_running() { return true; }
  static std::chrono::nanoseconds write_time() { return {}; }
  static bool watch(base::AddressRange) { return true; }
  bool arm(std::span<const base::AddressRange> ranges) {
    for (const base::AddressRange range : ranges) claim_dirty(range, [](base::AddressRange) {});
    return true;
  }
  static bool disarm(base::AddressRange) { return false; }
  static void after_fork_in_child() {}

  static constexpr std::size_t kSomeRuns = 64;
  template <typename Function>
  bool for_each_dirty(base::AddressRange range, Function function) const {
    return visit(range, false, function);
  }
  static bool may_report_empty_pages() { return false; }
  template <typename Function>
  bool for_each_perhaps_dirty(base::AddressRange range, Function function) const {
    return visit(range, false, function);
  }
  template <typename Function>
  bool claim_dirty(base::AddressRange range, Function function) {
    return visit(range, true, function);
  }
  template <typename Function>
  bool claim_some_dirty(base::AddressRange& range, Function function) {
    const base::AddressRange all = range;
    range.begin = range.end;
    return visit(all, true, function);
  }

 private:
  template <typename Function>
  static bool visit(base::AddressRange range, bool arms, Function& function) {
    std::uint32_t written = verify::pages::find_written(range.begin, range.end, arms);
    for (; written != 0; written >>= 1, range.begin += verify::pages::kBytes) {
      if ((written & 1) != 0) function(base::AddressRange{range.begin, range.begin + verify::pages::kBytes});
    }
    return true;
  }
};

}  // namespace jackdaw::gc
