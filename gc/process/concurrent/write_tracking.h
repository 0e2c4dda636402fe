// WriteTracking: asks the system which pages were written since the last query.
//
// It is the write barrier of a collector that marks while the program runs (Boehm, Demers and Shenker,
// "Mostly Parallel Garbage Collection", PLDI 1991): the program's code need not tell what it writes. A page
// is armed; the first write to it then faults, which the system answers by itself, noting that the page was
// written. It notes whatever writes through a page table: threads, read(2) and the like, a debugger. Not so
// devices that write into pages which they hold since before they were armed (O_DIRECT, buffers registered
// with io_uring), and other mappings of shared memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "base/address_range.h"
#include "base/own_descriptor.h"

namespace jackdaw::gc {

enum class WriteTrackingMethod : std::uint8_t {
  none,
  /// Linux 6.7: userfaultfd protects pages, and one call asks and arms. A write to an armed huge page splits
  /// its mapping, and only 4 KiB count as written.
  pagemap_scan,
  /// The process's soft-dirty bits, where the system has them: all are armed at once, and asking does not
  /// arm. A huge page is written as a whole. Pages that the system merges (KSM) lose their bits.
  soft_dirty,
};

/// One thread at a time, but any may ask what was written, and take what was, each of its own pages. Pages
/// that a range touches belong to it, and what is told consists of whole pages: it may begin before the
/// range, and end behind it. Nothing here asks malloc for memory, throws or changes errno. Pages that hold
/// nothing, never touched or given back to the system, are not written: what they held is gone. They count as
/// written as soon as they hold something.
class WriteTracking {
 public:
  WriteTracking() = default;

  /// Takes the first method that works, up to `last`, unless one is under way whose files are still open; all
  /// memory is then to be watched anew. To be called while the program is stopped: a file takes the lowest
  /// free number for a moment. To find out about soft_dirty it may arm all of the process's pages.
  WriteTrackingMethod start(WriteTrackingMethod last = WriteTrackingMethod::soft_dirty);
  [[nodiscard]] WriteTrackingMethod method() const { return method_; }
  /// Whether pages may be armed while the program writes, so that no write is lost.
  [[nodiscard]] bool arms_while_running() const { return method_ == WriteTrackingMethod::pagemap_scan; }
  /// What the first write to an armed page takes where pages may be so, as start() found; else 0. A virtual
  /// machine whose page tables are its host's takes many times as long as others.
  [[nodiscard]] std::chrono::nanoseconds write_time() const { return write_time_; }

  /// Has mapped memory tracked, as long as it stays mapped; it may be watched already. False when the system
  /// refuses.
  bool watch(base::AddressRange range);
  /// From now on the pages count as not written. soft_dirty arms all pages of the process, once for all
  /// ranges, and loses writes meanwhile: the program must stand still. False when the system refuses.
  bool arm(std::span<const base::AddressRange> ranges);

  /// The pages count as written, and writes to them cost nothing, until they are armed again. False when the
  /// system refuses, as for memory that is not watched, or where pages cannot be armed one by one.
  bool disarm(base::AddressRange range);

  /// Calls `function(AddressRange)` with each longest run of pages in `range` that were written since they
  /// were armed, or never armed, in order. False when the system refuses, as for memory that is not watched:
  /// all of `range` has to be taken for written then.
  template <typename Function>
  bool for_each_written(base::AddressRange range, Function function) const {
    return visit_written(range, Wanted::to_read, call<Function>, &function);
  }
  /// Calls `function` as above, but some of the pages may hold nothing. Since Linux 6.9 it takes half of the
  /// time where little was written.
  template <typename Function>
  bool for_each_perhaps_written(base::AddressRange range, Function function) const {
    return visit_written(range, Wanted::perhaps, call<Function>, &function);
  }
  /// Whether for_each_perhaps_written may.
  [[nodiscard]] bool may_tell_of_pages_that_hold_nothing() const { return may_tell_of_all_; }
  /// As for_each_written, and arms each run before `function` sees it: what is written from then on is found
  /// next time. Only where arms_while_running(); false elsewhere. When false, pages may be armed that
  /// `function` did not see.
  template <typename Function>
  bool take_written(base::AddressRange range, Function function) {
    return visit_written(range, Wanted::to_arm, call<Function>, &function);
  }
  /// As take_written, from the range's begin on, for kSomeRuns at most. `range` becomes what is left of it.
  template <typename Function>
  bool take_some_written(base::AddressRange& range, Function function) {
    return visit_some_written(range, call<Function>, &function);
  }
  static constexpr std::size_t kSomeRuns = 64;

  /// A child has its own pages: it may start anew. Those of its parent stay as they are, also where this is
  /// not called: then the system refuses.
  void after_fork_in_child() { stop(); }
  /// Closes the files: no page is watched any more.
  void stop();

 private:
  using Visit = void (*)(void* function, base::AddressRange run);

  template <typename Function>
  static void call(void* function, base::AddressRange run) {
    (*static_cast<Function*>(function))(run);
  }
  enum class Wanted : std::uint8_t { to_read, perhaps, to_arm };
  bool visit_written(base::AddressRange range, Wanted wanted, Visit visit, void* function) const;
  bool visit_some_written(base::AddressRange& range, Visit visit, void* function);
  bool open(WriteTrackingMethod method);
  [[nodiscard]] bool works();
  void measure_write(base::AddressRange page);

  WriteTrackingMethod method_ = WriteTrackingMethod::none;
  std::chrono::nanoseconds write_time_{0};
  bool may_tell_of_all_ = false;
  base::OwnDescriptor pagemap_;
  base::OwnDescriptor control_;  // userfaultfd, or clear_refs
};

}  // namespace jackdaw::gc
