// Stands in for base/futex_word.h: a model of the system's futexes.
//
// Whether a thread falls asleep is decided under a lock of the system's, and so is whom a thread wakes. That
// lock alone orders what they see there: a thread that wakes up, or is not put to sleep, has been told
// nothing. Nobody wakes up but for a signal, so a wake that is missing leaves a thread asleep for ever.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/signals_blocked.h"
#include "tests/verify/verify.h"

namespace verify {

// By thread, each of which writes its own.
inline std::array<bool, 3> has_waited;

}  // namespace verify

namespace jackdaw::base {

class FutexWord {
 public:
  std::atomic<std::uint32_t>& value() { return value_; }
  [[nodiscard]] const std::atomic<std::uint32_t>& value() const { return value_; }

  static constexpr std::uint32_t kAllSleepers = 0xffff'ffff;

  // Relaxed, here and below: the lock orders it, or nothing does. Not inlined, here and there: the model
  // checker follows each path through a loop.
  [[gnu::noinline]] void wait(std::uint32_t unwanted, std::uint32_t sleepers = kAllSleepers) {
    std::atomic<std::uint32_t>& own = sleeps_as_[static_cast<std::size_t>(__VERIFIER_thread_self())];
    system_lock_.lock();
    const bool sleeps = value_.load(std::memory_order_relaxed) == unwanted;
    if (sleeps) own.store(sleepers, std::memory_order_relaxed);
    system_lock_.unlock();
    if (sleeps && verify::is_interrupted_while([&] { return own.load(std::memory_order_relaxed) != 0; })) {
      system_lock_.lock();
      own.store(0, std::memory_order_relaxed);
      system_lock_.unlock();
    }
    verify::take_signals();
    // A loop around this one is taken for one that waits, too, unless something is written in it.
    verify::has_waited[static_cast<std::size_t>(__VERIFIER_thread_self())] = true;
  }
  // The wait never ends by its time limit.
  bool wait_for(std::uint32_t unwanted, std::chrono::nanoseconds) {
    wait(unwanted);
    return true;
  }
  static bool poll_while(std::uint32_t, std::chrono::nanoseconds) { return true; }
  void wake(std::uint32_t sleepers) { wake_some(sleepers, sleeps_as_.size()); }
  void wake_all() { wake(kAllSleepers); }
  // The first of them: clients have sleepers that do the same.
  void wake_one() { wake_some(kAllSleepers, 1); }

 private:
  [[gnu::noinline]] void wake_some(std::uint32_t sleepers, std::size_t left) {
    system_lock_.lock();
    for (std::atomic<std::uint32_t>& sleeper : sleeps_as_) {
      if (left == 0 || (sleeper.load(std::memory_order_relaxed) & sleepers) == 0) continue;
      sleeper.store(0, std::memory_order_relaxed);
      --left;
    }
    system_lock_.unlock();
  }

  std::atomic<std::uint32_t> value_{0};
  std::array<std::atomic<std::uint32_t>, 3> sleeps_as_{};  // by thread; 0: not at all
  verify::Mutex system_lock_;
};

}  // namespace jackdaw::base
