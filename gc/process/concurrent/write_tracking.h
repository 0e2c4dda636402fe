// WriteTracking: asks the kernel which pages are dirty, that is, were written since they were last armed.
//
// It is the write barrier of concurrent marking (Boehm, Demers and Shenker, "Mostly Parallel Garbage
// Collection", PLDI 1991): the program need not report its writes. To arm a page is to write-protect it (or
// to clear its soft-dirty bit); the first write then faults, and the kernel notes it and lifts the protection
// by itself. It notes all writes through a page table: by threads, read(2) and the like, a debugger. It does
// not note writes by devices into pages that they held before (O_DIRECT, buffers registered with io_uring),
// and through other mappings of shared memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "base/address_range.h"
#include "base/own_descriptor.h"

namespace jackdaw::gc {

enum class WriteTrackingMethod : std::uint8_t {
  none,
  /// Linux 6.7: userfaultfd write-protects pages, and one call queries and arms. A write to an armed huge
  /// page splits its mapping, and only 4 KiB become dirty.
  pagemap_scan,
  /// The process's soft-dirty bits, where the system has them: all pages are armed at once, and a query does
  /// not arm. A huge page becomes dirty as a whole. Pages that the system merges (KSM) lose their bits.
  soft_dirty,
};

/// One thread at a time; but any may query and claim dirty pages, each in its own ranges. All pages that a
/// range touches belong to it, so runs may begin before it and end behind it. Nothing here calls malloc,
/// throws or changes errno. Empty pages, never touched or returned to the system, are not dirty until they
/// hold something.
class WriteTracking {
 public:
  WriteTracking() = default;

  /// Starts the first method that works, up to `last`, unless one is under way whose files are still open;
  /// all memory must then be tracked anew. To be called while the program is stopped: a file takes the lowest
  /// free number for a moment. The test of soft_dirty may arm all of the process's pages.
  WriteTrackingMethod start(WriteTrackingMethod last = WriteTrackingMethod::soft_dirty);
  [[nodiscard]] WriteTrackingMethod method() const { return method_; }
  /// Whether pages may be armed while the program writes, without losing a write.
  [[nodiscard]] bool arms_while_running() const { return method_ == WriteTrackingMethod::pagemap_scan; }
  /// Returns how long the first write to an armed page takes, as start() measured, where
  /// arms_while_running(); else 0. A virtual machine whose host holds the page tables takes many times as
  /// long as others.
  [[nodiscard]] std::chrono::nanoseconds write_time() const { return write_time_; }

  /// Tracks memory for as long as it stays mapped; it may be tracked already. False when the system refuses.
  bool watch(base::AddressRange range);
  /// Arms the pages: they are not dirty from now on. soft_dirty arms all pages of the process, once for all
  /// ranges, and loses concurrent writes: the program must be stopped. False when the system refuses.
  bool arm(std::span<const base::AddressRange> ranges);

  /// Makes the pages dirty, so that writes cost nothing until they are armed again. False when the system
  /// refuses, as for memory that is not tracked, or where pages cannot be armed one by one.
  bool disarm(base::AddressRange range);

  /// Calls `function(AddressRange)` for each longest run of dirty pages in `range`, in order. Pages that were
  /// never armed are dirty. False when the system refuses, as for memory that is not tracked: all of `range`
  /// then counts as dirty.
  template <typename Function>
  bool for_each_dirty(base::AddressRange range, Function function) const {
    return visit_dirty(range, Wanted::to_read, call<Function>, &function);
  }
  /// Calls `function` as for_each_dirty() does, also for some empty pages. Since Linux 6.9 it takes half of
  /// the time where little was written.
  template <typename Function>
  bool for_each_perhaps_dirty(base::AddressRange range, Function function) const {
    return visit_dirty(range, Wanted::perhaps, call<Function>, &function);
  }
  /// Whether for_each_perhaps_dirty() may report empty pages.
  [[nodiscard]] bool may_report_empty_pages() const { return may_report_empty_pages_; }
  /// Calls `function` as for_each_dirty() does, and arms each run before: later writes are found next time.
  /// Only where arms_while_running(); false elsewhere. When false, pages may be armed that `function` did not
  /// see.
  template <typename Function>
  bool claim_dirty(base::AddressRange range, Function function) {
    return visit_dirty(range, Wanted::to_arm, call<Function>, &function);
  }
  /// Claims pages as claim_dirty() does, from the range's begin on, kSomeRuns runs at most. `range` becomes
  /// what is left.
  template <typename Function>
  bool claim_some_dirty(base::AddressRange& range, Function function) {
    return visit_some_dirty(range, call<Function>, &function);
  }
  static constexpr std::size_t kSomeRuns = 64;

  /// Stops tracking in a fork's child, whose pages are its own; it may start anew. The parent's pages stay
  /// tracked, also if this is not called: then the system refuses calls of the child.
  void after_fork_in_child() { stop(); }
  /// Closes the files: no page is tracked any more.
  void stop();

 private:
  using Visit = void (*)(void* function, base::AddressRange run);

  template <typename Function>
  static void call(void* function, base::AddressRange run) {
    (*static_cast<Function*>(function))(run);
  }
  enum class Wanted : std::uint8_t { to_read, perhaps, to_arm };
  bool visit_dirty(base::AddressRange range, Wanted wanted, Visit visit, void* function) const;
  bool visit_some_dirty(base::AddressRange& range, Visit visit, void* function);
  bool open(WriteTrackingMethod method);
  [[nodiscard]] bool works();
  void measure_write(base::AddressRange page);

  WriteTrackingMethod method_ = WriteTrackingMethod::none;
  std::chrono::nanoseconds write_time_{0};
  bool may_report_empty_pages_ = false;
  base::OwnDescriptor pagemap_;
  base::OwnDescriptor control_;  // userfaultfd, or clear_refs
};

}  // namespace jackdaw::gc
