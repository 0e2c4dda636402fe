// Scavenger: gives memory that the heap does not need back to the system, while the program runs.
//
// A thread of the collector's own looks from time to time how much memory the heap keeps beyond what it is
// likely to need (MemoryDemand), and gives that back step by step: free blocks first, and in a program that
// hardly allocates the free pages of partly free blocks, too. It starts when a collection, or what the
// program frees explicitly, leaves kWorthAThread bytes free, and sleeps without waking up once nothing is
// left to give back, until then. Where it cannot start, the program's threads do its work after collections.
//
// While it looks, it also reads whether processes wait for memory (machine::MemoryPressure). If they do, it
// gives all free memory back at once, has the next thread that allocates collect, and then does so again.
//
// Source: the decay of jemalloc's unused pages, and the scavenger of Go's runtime.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/futex_word.h"
#include "gc/process/collection_plan.h"
#include "gc/process/memory_demand.h"
#include "gc/process/pressure_alarm.h"
#include "gc/process/process_options.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_registry.h"
#include "heap/heap.h"
#include "machine/control_groups.h"
#include "machine/memory_pressure.h"

namespace jackdaw::gc {

/// One for the process.
class Scavenger {
 public:
  using Clock = MemoryDemand::Clock;

  /// The free bytes for which a thread is started.
  static constexpr std::uint64_t kWorthAThread = std::uint64_t{16} << 20;
  /// The time between two looks while there are free blocks to give back or a sweep is awaited, and while
  /// there are only free pages of others, which wait until the program hardly allocates.
  static constexpr std::chrono::milliseconds kInterval{100};
  static constexpr std::chrono::milliseconds kLongInterval{1000};
  /// The time until the next look where the collector's lock is held.
  static constexpr std::chrono::milliseconds kRetryInterval{10};
  /// The time between two calls of an errand.
  static constexpr std::chrono::milliseconds kErrandInterval{1};

  Scavenger(const ProcessOptions& options, heap::Heap& heap, StoppableMutex& lock, ThreadRegistry& threads,
            CollectionPlan& plan);
  Scavenger(const Scavenger&) = delete;
  Scavenger& operator=(const Scavenger&) = delete;

  /// Notes that a collection is over and the program runs again. Called by a registered thread with the
  /// collector's lock.
  void note_collection(Clock::time_point now = Clock::now());
  /// Notes that the sweep of a cycle is over. Called as note_collection() is.
  void note_swept(Clock::time_point now = Clock::now());
  /// Notes that the program has freed or shortened a large object. Called by a registered thread, with or
  /// without the lock.
  void note_freed();
  /// Gives back what is due at `now`, and answers memory pressure. Returns the time until the next look, or
  /// nothing when none is needed before more becomes free. Without the collector's lock.
  std::optional<std::chrono::milliseconds> scavenge(Clock::time_point now);

  /// Has the thread call `errand`, until that returns true, without a lock. It must not wait for the
  /// collector's, whose holder may wait for the thread's end. Where there is no thread, nothing happens. May
  /// be called in a signal handler.
  void call_soon(bool (*errand)());

  [[nodiscard]] bool has_thread() const { return has_thread_; }
  /// Starts the thread, unless it runs, or the program has the collector mark on one thread though it has
  /// more processors. Returns whether it runs. With the collector's lock.
  bool start_thread();
  /// Returns the thread's processor time, and that of those that have ended. With the collector's lock.
  [[nodiscard]] std::chrono::nanoseconds thread_time() const;
  /// Ends the thread. With the collector's lock.
  void end_thread();
  /// Forgets the thread, which the child of a fork does not have.
  void after_fork_in_child();

 private:
  // These are the states of the thread.
  enum State : std::uint32_t {
    resting,  ///< until it is woken
    looking,  ///< it works, or will look again soon
    ending,
  };

  void forget_thread();
  static void* run_thread(void* self);
  void run();
  void wake_thread();
  void note_awaited_sweep(Clock::time_point now);
  bool reads_pressure();
  void look_at_pressure(Clock::time_point now);
  bool give_back(Clock::time_point now);
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] std::optional<std::chrono::milliseconds> until_next_look() const;

  const bool may_have_thread_;
  const bool heeds_pressure_;
  const bool starts_filtered_;  // whether system calls were filtered at the start
  const machine::KernelFolders kernel_folders_;
  heap::Heap& heap_;
  StoppableMutex& lock_;
  ThreadRegistry& threads_;
  CollectionPlan& plan_;
  MemoryDemand demand_;
  std::optional<machine::MemoryPressure> pressure_;  // from the first reading on
  PressureAlarm alarm_;
  bool is_memory_short_ = false;  // a collection was asked for, which is not over
  bool awaits_sweep_ = false;     // of a cycle
  heap::Heap::Place place_;       // from here on, free pages of partly free blocks are to go back
  bool has_free_pages_ = false;   // some may not be back yet
  // The system does not take what is due, or has no thread for it. Relaxed, all accesses: a hint.
  std::atomic<bool> is_refused_{false};
  std::atomic<bool> has_rested_{false};  // the thread; samples of the allocation are as old as that
  base::FutexWord state_;
  std::atomic<bool (*)()> errand_{nullptr};  // for the thread
  pthread_t thread_{};
  std::atomic<bool> has_thread_{false};
  std::chrono::nanoseconds ended_time_{0};  // of threads that were ended
};

}  // namespace jackdaw::gc
