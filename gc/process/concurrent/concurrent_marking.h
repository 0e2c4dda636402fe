// ConcurrentMarking: the part of a collection that goes on while the program runs.
//
// Mostly-parallel marking (Boehm, Demers and Shenker, PLDI 1991), with the system's knowledge of which pages
// were written (WriteTracking) as the write barrier:
//
//   idle      a thread of the program begins a cycle: it stops the others for as long as it takes to find
//             the roots
//   marking   this class's thread arms the pages of objects that may hold references, clears the marks, and
//             marks from those roots, and from what stacks lead to now. Then it asks which pages were
//             written, arms them again, and visits the marked objects on them; and again, while their number
//             falls. If more are left than the pause should take, it goes on in stops of the program
//   marked    allocators are locked out, so that whoever allocates next ends the marking: it stops the
//             others, visits what was written since, marks from all roots, and processes weak references. If
//             nobody allocates for a while, it is back to asking what was written
//   sweeping  this class's thread sweeps, and so does who needs memory
//
// Each object was visited after its page was armed, or its page counts as written: pages are armed before
// what lies on them is read. What is allocated meanwhile is marked, or found like any other object; its page
// was written.
//
// Phases are changed with the collector's lock, but for the end of sweeping.
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
#include "gc/process/concurrent/marking_constants.h"
#include "gc/process/concurrent/scanned_stretches.h"
#include "gc/process/concurrent/taken_pages.h"
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

  /// `lock`, `trace`: the collector's. `threads`: the program's, which are stopped for about
  /// `pause_target` at a time, but where a marking begins and ends. Throws std::bad_alloc.
  ConcurrentMarking(heap::Heap& heap, Collection& collection, StoppableMutex& lock, ThreadRegistry& threads,
                    CollectionTrace& trace, std::chrono::milliseconds pause_target);
  ConcurrentMarking(const ConcurrentMarking&) = delete;
  ConcurrentMarking& operator=(const ConcurrentMarking&) = delete;

  // Acquire: pairs with the releases where phases are changed, so that what was done in the one before is
  // seen.
  [[nodiscard]] Phase phase() { return static_cast<Phase>(phase_.value().load(std::memory_order_acquire)); }

  // --- A thread of the program, with the collector's lock ---

  /// Starts the thread, unless it is there. False when it cannot be started.
  bool start_thread();
  [[nodiscard]] bool has_thread() const { return has_thread_; }
  /// Ends it. In phase idle.
  void end_thread();
  /// Phase idle, while the program stands still: whether pages are tracked, from now on if need be, by a
  /// method up to `last`.
  bool start_tracking(WriteTrackingMethod last);
  /// Phase idle: closes the files that start_tracking opened. What a write takes stays known.
  void stop_tracking() { tracking_.stop(); }
  /// Phase idle, and the program runs again, the roots having been found while it stood still: goes on to
  /// marking. `first_pause`: how long that took.
  void start_marking(std::span<heap::Object* const> roots, std::chrono::nanoseconds first_pause);
  /// Phase marked, while the program stands still: visits what was written since, and what could not be
  /// visited while it ran. What the roots lead to is to be marked next.
  void end_marking(MarkEngine& engine);
  /// Phase marked: nothing is swept, and the next cycle begins anew.
  void give_up();
  /// Phase marked: goes on to sweeping.
  void start_sweeping() {
    JACKDAW_CHECK(phase() == Phase::marked);
    change_phase(Phase::sweeping);
  }

  // --- Any thread, with or without the collector's lock ---

  // Relaxed, both: a number.
  [[nodiscard]] std::chrono::milliseconds pause_target() const {
    return pause_target_.load(std::memory_order_relaxed);
  }
  void set_pause_target(std::chrono::milliseconds target) {
    pause_target_.store(target, std::memory_order_relaxed);
  }

  /// With the collector's lock: a collection that stops the program for no longer than that does so. It is
  /// the target, and so many times as much where a write to an armed page takes so many microseconds: each
  /// page that the program writes in a cycle costs one.
  [[nodiscard]] std::chrono::milliseconds tolerated_stop() const {
    const std::chrono::nanoseconds least = std::chrono::microseconds(1);
    return pause_target() *
           std::clamp<std::int64_t>(write_time_ / least, 1, marking_constants::kMostTimesTolerated);
  }

  /// With the collector's lock: how often this marking, or the last, has stopped the program.
  [[nodiscard]] std::uint32_t stops() const { return tally_.stops; }

  /// How long to stop the program at a time while objects are marked: a part of the pause target, as threads
  /// are not always quick to stand still, or as long as a stop takes in which something gets done.
  [[nodiscard]] std::chrono::nanoseconds stop_time() const {
    using std::chrono::nanoseconds;
    return std::max<nanoseconds>(nanoseconds(pause_target()) * 3 / 5, marking_constants::kLeastStop);
  }

  // --- Any thread without it ---

  /// The cycle under way is to be given up: its marking ends soon, whatever is left to do.
  // Relaxed, here and where it is read: a hint.
  void hurry() { is_hurried_.store(true, std::memory_order_relaxed); }

  /// Returns when the phase is another, or earlier: ask again.
  void await_end_of(Phase phase) { phase_.wait(static_cast<std::uint32_t>(phase)); }
  /// Waits as above for at most `time`: then it is false.
  bool await_end_of(Phase phase, std::chrono::nanoseconds time) {
    return phase_.wait_for(static_cast<std::uint32_t>(phase), time);
  }

  /// To be held around a fork: the heap's lock is free then.
  StoppableMutex& steps() { return steps_; }
  /// The child has no such thread, and no marking: the cycle is given up, in whatever phase.
  void after_fork_in_child();

  /// Returns the log's part of the last marking, which has ended.
  [[nodiscard]] ConcurrentRecord record() const;

 private:
  // These counts are for the log: the marking does not depend on them.
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
  void catch_up_running();
  void catch_up_with_stops();
  bool sleeps_after_stop() { return phase() == Phase::marking && rescans_.empty(); }
  void begin_pass();
  [[nodiscard]] bool is_hurried() const { return is_hurried_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t expected_dirty_bytes(double part) const;
  bool is_little(std::uint64_t dirty_bytes, std::uint64_t times);
  bool visit_some(Clock::time_point deadline);
  void visit_taken(Clock::time_point deadline);
  void visit_pieces(std::span<const base::AddressRange> pieces);
  void note_visits(std::uint64_t visited_bytes, Milliseconds visiting);
  [[nodiscard]] double marker_count() { return collection_.engine().marker().worker_count(); }
  [[nodiscard]] std::uint64_t affordable_bytes();
  void leave_marking(std::uint64_t expected_dirty_bytes);
  bool goes_on_when_left_alone(std::chrono::milliseconds patience);
  template <typename Found>
  class WrittenPages;
  void visit_written();
  static void prefetch(base::AddressRange pages);
  static base::AddressRange words_of(const heap::Object* object, heap::BlockShape shape,
                                     base::AddressRange part);
  void add_root(heap::Object* object);
  void mark_among_others(heap::Object* object);
  bool has_gathered_enough();
  void visit_written_in_pause(MarkEngine& engine);
  Clock::time_point visit_written_of(std::uint32_t part, std::chrono::nanoseconds& visits);
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
  const ScannedStretches stretches_;
  WriteTracking tracking_;
  std::chrono::nanoseconds write_time_{0};  // of WriteTracking, when it last started
  TakenPages taken_;
  base::FutexWord phase_;
  StoppableMutex steps_;  // held by the thread where it takes the heap's lock, or goes back to marking
  pthread_t thread_{};
  bool has_thread_ = false;
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> is_hurried_{false};
  std::span<heap::Object* const> first_roots_;
  StoppableMutex gathering_;             // guards rescans_ while the program stands still
  Milliseconds asking_time_of_part_{0};  // about written pages in a pause, of one mark thread
  Milliseconds time_of_byte_;            // to visit one of written pages, of one mark thread
  Clock::time_point start_;              // of the marking
  Clock::time_point pass_start_;         // of the last pass while the program ran, or of one since
  base::PageVector<heap::Object*> roots_;
  base::PageVector<MarkTask> rescans_;
  std::uint64_t dirty_bytes_ = 0;           // of pages that this pass, or the last pause, found written
  std::uint64_t expected_dirty_bytes_ = 0;  // in the last pause
  Tally tally_;
};

}  // namespace jackdaw::gc
