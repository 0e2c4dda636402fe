// ConcurrentMarking: the part of a collection that runs beside the program, on a thread of its own.
//
// Mostly-parallel marking (Boehm, Demers and Shenker, PLDI 1991), with the kernel's record of dirty pages
// (WriteTracking) as the write barrier. "To arm" a page is to write-protect it so that the next write shows.
//
//   idle      a mutator begins a cycle: it stops the others for as long as it takes to find the roots
//   marking   the thread arms the pages of objects that may hold references, clears the marks, and marks from
//             those roots and from stacks, idle ones included. Then it claims dirty pages, which arms them
//             again, and visits the marked objects on them, pass by pass while their number falls. If more
//             are left than the pause should take, it goes on in stops of the program
//   marked    allocators are locked out, so that the next mutator that allocates ends the marking: it stops
//             the others, visits pages that are dirty since, marks from all roots, and processes weak
//             references. If none allocates for a while, the thread visits dirty pages again
//   sweeping  the thread sweeps, and so does each mutator that needs memory
//
// Invariant: each object was visited after its page was armed, or its page is dirty, since pages are armed
// before what lies on them is read. Objects allocated meanwhile are marked, or are found like others, on
// dirty pages.
//
// Phases change with the collector's lock held, except for the end of sweeping. They are kept here, and not
// in ConcurrentCycle, which decides on them: the model checker runs this class alone, with its thread.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "base/futex_word.h"
#include "base/page_vector.h"
#include "gc/marking/collection.h"
#include "gc/marking/mark_engine.h"
#include "gc/marking/mark_task.h"
#include "gc/process/concurrent/claimed_pages.h"
#include "gc/process/concurrent/marking_constants.h"
#include "gc/process/concurrent/scanned_ranges.h"
#include "gc/process/concurrent/tracked_stacks.h"
#include "gc/process/concurrent/write_tracking.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_registry.h"
#include "gc/report/collection_log.h"
#include "gc/report/trace/collection_trace.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::gc {

class ConcurrentMarking {
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;

 public:
  enum class Phase : std::uint32_t { idle, marking, marked, sweeping };

  /// `lock` and `trace` are the collector's. `threads` are the program's; they are stopped for about
  /// `pause_target` at a time, except where a marking begins and ends. Throws std::bad_alloc.
  ConcurrentMarking(heap::Heap& heap, Collection& collection, StoppableMutex& lock, ThreadRegistry& threads,
                    CollectionTrace& trace, std::chrono::milliseconds pause_target);
  ConcurrentMarking(const ConcurrentMarking&) = delete;
  ConcurrentMarking& operator=(const ConcurrentMarking&) = delete;

  // Acquire: pairs with the releases where phases change, so that the work of the phase before is seen.
  [[nodiscard]] Phase phase() { return static_cast<Phase>(phase_.value().load(std::memory_order_acquire)); }

  // --- A mutator, with the collector's lock ---

  /// Starts the thread, unless it runs. False when it cannot be started.
  bool start_thread();
  [[nodiscard]] bool has_thread() const { return has_thread_; }
  /// Returns the thread's processor time, and that of those that have ended.
  [[nodiscard]] std::chrono::nanoseconds thread_time() const;
  /// Ends the thread. In phase idle.
  void end_thread();
  /// Starts write tracking, by a method up to `last`, unless it is under way; returns whether it is. In phase
  /// idle, while the program is stopped.
  bool start_tracking(WriteTrackingMethod last);
  /// Closes the files of write tracking, and keeps what was measured. In phase idle.
  void stop_tracking() { tracking_.stop(); }
  /// Returns the method by which writes were last tracked; none before that.
  [[nodiscard]] WriteTrackingMethod tracking_method() const { return tracking_.method(); }
  /// Changes to phase marking, with the roots that were found while the program was stopped. In phase idle,
  /// when the program runs again. `first_pause`: how long it was stopped.
  void start_marking(std::span<heap::Object* const> roots, std::chrono::nanoseconds first_pause);
  /// Visits dirty pages, and what could not be visited while the program ran. The caller then marks from the
  /// roots. In phase marked, while the program is stopped.
  void end_marking(MarkEngine& engine);
  /// Gives up the cycle: nothing is swept. In phase marked.
  void give_up();
  /// Changes to phase sweeping. In phase marked.
  void start_sweeping() {
    JACKDAW_CHECK(phase() == Phase::marked);
    change_phase(Phase::sweeping);
  }

  // --- Any thread, with or without the collector's lock ---

  // Relaxed, both: a number that publishes nothing.
  [[nodiscard]] std::chrono::milliseconds pause_target() const {
    return pause_target_.load(std::memory_order_relaxed);
  }
  void set_pause_target(std::chrono::milliseconds target) {
    pause_target_.store(target, std::memory_order_relaxed);
  }

  /// Returns the longest stop that is better than a cycle: the target, times the microseconds that a write to
  /// an armed page takes, since each page that the program writes in a cycle costs one such write. With the
  /// collector's lock.
  [[nodiscard]] std::chrono::milliseconds tolerated_stop() const {
    const std::chrono::nanoseconds least = std::chrono::microseconds(1);
    return pause_target() *
           std::clamp<std::int64_t>(write_time_ / least, 1, marking_constants::kMostTimesTolerated);
  }

  /// Returns the length of a stop during the marking: a part of the pause target, since threads may be slow
  /// to stop, but at least long enough to get something done.
  [[nodiscard]] std::chrono::nanoseconds stop_time() const {
    using std::chrono::nanoseconds;
    return std::max<nanoseconds>(nanoseconds(pause_target()) * 3 / 5, marking_constants::kLeastStop);
  }

  // --- Any thread without it ---

  /// Makes the marking end soon, whatever is left to do, since its cycle is to be given up.
  // Relaxed, here and where it is read: a hint.
  void hurry() { is_hurried_.store(true, std::memory_order_relaxed); }

  /// Waits for another phase, but may return earlier: check again.
  void await_end_of(Phase phase) { phase_.wait(static_cast<std::uint32_t>(phase)); }
  /// Waits for another phase as above, for at most `time`, and returns false after that.
  bool await_end_of(Phase phase, std::chrono::nanoseconds time) {
    return phase_.wait_for(static_cast<std::uint32_t>(phase), time);
  }

  /// Returns the lock to be held around a fork, so that the heap's lock is free then.
  StoppableMutex& steps() { return steps_; }
  /// Gives up the cycle in a fork's child, which has no marking thread. In any phase.
  void after_fork_in_child();

  /// Returns the last marking's figures for the log.
  [[nodiscard]] ConcurrentRecord record() const;

 private:
  // These counts are only for the log: the marking does not depend on them.
  struct Tally {
    std::chrono::nanoseconds first_pause{0};
    std::chrono::nanoseconds marking{0};
    std::chrono::nanoseconds longest_stop{0};
    std::uint32_t stops = 0;
    std::uint32_t rounds = 0;
  };

  static void* run_thread(void* self);
  void run();
  void mark();
  class Stop;
  void clear_marks();
  void mark_uncollectable();
  void mark_from_stacks();
  void mark_from_idle_stacks(TrackedStacks::Which which);
  void remark_while_running();
  void remark_in_stops();
  bool sleeps_after_stop() { return phase() == Phase::marking && rescans_.empty(); }
  void begin_pass();
  [[nodiscard]] bool is_hurried() const { return is_hurried_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t expected_dirty_bytes(double part) const;
  bool is_little(std::uint64_t dirty_bytes, std::uint64_t times);
  bool visit_some(Clock::time_point deadline);
  void visit_claimed(Clock::time_point deadline);
  void visit_pieces(std::span<const base::AddressRange> pieces);
  void note_visits(std::uint64_t visited_bytes, Milliseconds visiting);
  [[nodiscard]] double marker_count() { return collection_.engine().marker().worker_count(); }
  [[nodiscard]] std::uint64_t affordable_bytes();
  void leave_marking(std::uint64_t expected_dirty_bytes);
  bool goes_on_when_left_alone(std::chrono::milliseconds patience);
  template <typename Found>
  class DirtyPages;
  void visit_dirty();
  static void prefetch(base::AddressRange pages);
  static base::AddressRange words_of(const heap::Object* object, heap::BlockShape shape,
                                     base::AddressRange part);
  void add_root(heap::Object* object);
  void mark_among_others(heap::Object* object);
  bool has_gathered_enough();
  void visit_dirty_in_pause(MarkEngine& engine);
  void note_dirty_stacks(MarkEngine& engine);
  Clock::time_point visit_dirty_of(std::uint32_t part, std::chrono::nanoseconds& visits);
  void add_rescan(MarkTask task);
  void mark_gathered();
  void sweep();
  void end_trace_of_cycle();
  void forget();
  void change_phase(Phase next);
  void set_phase(Phase phase);

  heap::Heap& heap_;
  Collection& collection_;
  StoppableMutex& lock_;
  ThreadRegistry& threads_;
  CollectionTrace& trace_;
  std::atomic<std::chrono::milliseconds> pause_target_;
  const ScannedRanges ranges_;
  WriteTracking tracking_;
  std::chrono::nanoseconds write_time_{0};  // measured when WriteTracking last started
  ClaimedPages claimed_;
  TrackedStacks stacks_;
  base::FutexWord phase_;
  StoppableMutex steps_;  // held by the thread when it takes the heap's lock or goes back to marking
  pthread_t thread_{};
  bool has_thread_ = false;
  std::chrono::nanoseconds ended_time_{0};  // of threads that were ended
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> is_hurried_{false};
  std::span<heap::Object* const> first_roots_;
  StoppableMutex gathering_;             // guards rescans_ in stops
  Milliseconds asking_time_of_part_{0};  // of a mark thread, for the queries in a pause
  Milliseconds time_of_byte_;            // of a mark thread, for visiting dirty pages
  Clock::time_point start_;              // when the marking began
  Clock::time_point pass_start_;         // when the last pass began
  base::PageVector<heap::Object*> roots_;
  base::PageVector<MarkTask> rescans_;
  std::uint64_t dirty_bytes_ = 0;           // found by this pass or the last pause
  std::uint64_t expected_dirty_bytes_ = 0;  // for the last pause
  Tally tally_;
};

}  // namespace jackdaw::gc
