// HeldPhase: a phase of a concurrent cycle that does not end by itself.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "gc/process/process_collector.h"
#include "tests/gc/process/sleeping_thread.h"

namespace jackdaw::fuzz {

/// While it exists the marking thread takes no step, unless the calling thread sleeps: it may wait for one.
class HeldPhase {
 public:
  HeldPhase() {
    holder_ = std::thread([this, caller = gettid()] {
      const std::lock_guard lock(gc::ProcessCollector::instance().concurrent_marking().steps());
      holds_.store(true);
      while (!is_over_.load() && !gc::sleeps(caller))
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
    while (!holds_.load()) std::this_thread::yield();
  }
  ~HeldPhase() {
    is_over_.store(true);
    holder_.join();
  }
  HeldPhase(const HeldPhase&) = delete;
  HeldPhase& operator=(const HeldPhase&) = delete;

 private:
  std::atomic<bool> holds_{false};
  std::atomic<bool> is_over_{false};
  std::thread holder_;
};

}  // namespace jackdaw::fuzz
