// The process's collector, marking while the program runs, and its cycles: how tests get to a phase of one,
// and keep it there.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "gc/process/concurrent/concurrent_marking.h"
#include "gc/process/concurrent/write_tracking.h"
#include "gc/process/process_collector.h"
#include "jackdaw/gc.h"
#include "tests/gc/process/sleeping_thread.h"

namespace jackdaw::gc {

using Phase = ConcurrentMarking::Phase;

inline bool tracks_writes() {
  WriteTracking tracking;
  return tracking.start() != WriteTrackingMethod::none;
}

inline ConcurrentMarking& concurrent_marking() { return ProcessCollector::instance().concurrent_marking(); }
inline Phase phase() { return concurrent_marking().phase(); }

/// Where threads are stopped without signals, this one may be meanwhile.
inline void await_end_of(Phase phase) {
  ProcessCollector::instance().threads().call_blocked(
      [](void* waited_for) {
        const Phase phase = *static_cast<const Phase*>(waited_for);
        while (concurrent_marking().phase() == phase) concurrent_marking().await_end_of(phase);
      },
      &phase);
}

inline void allocate_some() {
  for (int i = 0; i < 16; ++i) GC_reachable_here(GC_malloc(64));
}

/// Gives up after many collections: where the mark thread gets no processor, the program is stopped for one
/// each time that little was allocated.
template <typename Condition>
void allocate_until(Condition holds) {
  constexpr std::uint64_t kMany = 5000;
  const std::uint64_t last = ProcessCollector::instance().collections() + kMany;
  while (!holds()) {
    if (ProcessCollector::instance().collections() > last) {
      ADD_FAILURE() << "what was waited for does not come";
      std::abort();
    }
    allocate_some();
  }
}

/// Allocates until no cycle is under way.
inline void finish_cycle() {
  allocate_until([] { return phase() == Phase::idle; });
}

/// Runs a whole cycle, after the end of one that may be under way.
inline void run_cycle() {
  finish_cycle();
  const std::uint64_t before = ProcessCollector::instance().collections();
  allocate_until([before] { return ProcessCollector::instance().collections() != before; });
  finish_cycle();
}

/// A new cycle that another thread keeps in a phase. Meanwhile no thread may allocate much: one that is
/// refused memory waits for the phase's end, or brings it on.
class HeldCycle {
 public:
  explicit HeldCycle(Phase wanted) {
    finish_cycle();
    holder_ = std::thread([this] { hold(); });
    await_held(Phase::marking);
    allocate_until([] { return phase() == Phase::marking; });
    if (wanted == Phase::marking) return;
    wanted_.store(Phase::marked);
    await_held(Phase::marked);
    if (wanted == Phase::sweeping) allocate_until([] { return phase() == Phase::sweeping; });
  }
  ~HeldCycle() { go_on(); }
  HeldCycle(const HeldCycle&) = delete;
  HeldCycle& operator=(const HeldCycle&) = delete;

  void go_on() {
    is_held_.store(false);
    if (holder_.joinable()) holder_.join();
  }
  /// Lets the cycle go on as soon as the calling thread sleeps.
  void go_on_when_caller_sleeps() { caller_.store(gettid()); }

 private:
  // A cycle that is left alone while it is marked goes on marking, later each time. This thread waits for the
  // end of marking itself: a thread that is started then may come too late, again and again.
  void hold() {
    std::unique_lock lock(concurrent_marking().steps());
    held_.store(Phase::marking);
    while (wanted_.load() == Phase::marking && is_held()) std::this_thread::yield();
    if (wanted_.load() != Phase::marked) return;
    do {
      lock.unlock();
      concurrent_marking().await_end_of(Phase::marking);
      lock.lock();
    } while (phase() == Phase::marking);
    held_.store(Phase::marked);
    while (is_held()) std::this_thread::yield();
  }
  bool is_held() const { return is_held_.load() && (caller_.load() == 0 || !sleeps(caller_.load())); }

  /// Waits as a thread that may be stopped meanwhile, also where threads are stopped without signals.
  void await_held(Phase phase) {
    waited_for_ = phase;
    ProcessCollector::instance().threads().call_blocked(
        [](void* cycle) {
          const auto* const self = static_cast<const HeldCycle*>(cycle);
          while (self->held_.load() != self->waited_for_) std::this_thread::yield();
        },
        this);
  }

  std::atomic<bool> is_held_{true};
  std::atomic<Phase> wanted_{Phase::marking};
  std::atomic<Phase> held_{Phase::idle};
  Phase waited_for_ = Phase::idle;
  std::atomic<pid_t> caller_{0};
  std::thread holder_;
};

}  // namespace jackdaw::gc
