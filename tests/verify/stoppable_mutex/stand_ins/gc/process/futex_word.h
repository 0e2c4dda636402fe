// Stands in for gc/process/futex_word.h: a model of the system's futexes.
//
// Whether a thread falls asleep is decided under a lock of the system's, and so is whom a thread wakes. That
// lock alone orders what they see there: a thread that wakes up, or is not put to sleep, has been told
// nothing. Nobody wakes up by himself, so a wake that is missing leaves a thread asleep for ever.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "tests/verify/verify.h"

namespace verify {

inline Mutex system_lock;
// By thread, each of which writes its own.
inline std::array<bool, 3> has_waited;

}  // namespace verify

namespace jackdaw::gc {

class FutexWord {
 public:
  std::atomic<std::uint32_t>& value() { return value_; }

  static constexpr std::uint32_t kAllSleepers = 0xffff'ffff;

  // Relaxed, here and below: the lock orders it, or nothing does.
  void wait(std::uint32_t unwanted, std::uint32_t sleepers = kAllSleepers) {
    std::atomic<std::uint32_t>& own = sleeps_as_[static_cast<std::size_t>(__VERIFIER_thread_self())];
    verify::system_lock.lock();
    const bool sleeps = value_.load(std::memory_order_relaxed) == unwanted;
    if (sleeps) own.store(sleepers, std::memory_order_relaxed);
    verify::system_lock.unlock();
    while (sleeps && own.load(std::memory_order_relaxed) != 0) continue;
    // A loop around this one is taken for one that waits, too, unless something is written in it.
    verify::has_waited[static_cast<std::size_t>(__VERIFIER_thread_self())] = true;
  }
  void wake(std::uint32_t sleepers) {
    verify::system_lock.lock();
    for (std::atomic<std::uint32_t>& sleeper : sleeps_as_) {
      if ((sleeper.load(std::memory_order_relaxed) & sleepers) != 0)
        sleeper.store(0, std::memory_order_relaxed);
    }
    verify::system_lock.unlock();
  }
  void wake_all() { wake(kAllSleepers); }

 private:
  std::atomic<std::uint32_t> value_{0};
  std::array<std::atomic<std::uint32_t>, 3> sleeps_as_{};  // by thread; 0: not at all
};

}  // namespace jackdaw::gc
