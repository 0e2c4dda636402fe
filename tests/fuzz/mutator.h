// Mutator: a thread of a fuzzed program. It has roots on its stack and does what it is told to, one thing at
// a time; between that it waits, as a thread that collections stop, or as a blocked one.
#pragma once

#include <pthread.h>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

#include "tests/fuzz/heap_model.h"

namespace jackdaw::fuzz {

class Mutator {
 public:
  static constexpr std::size_t kRoots = 4;

  explicit Mutator(bool waits_blocked);
  /// Ends the thread, and with it its roots.
  ~Mutator();
  Mutator(const Mutator&) = delete;
  Mutator& operator=(const Mutator&) = delete;

  /// Has the thread do something, when it has done what came before.
  void begin(std::function<void()> task);
  void wait();
  void run(std::function<void()> task) {
    begin(std::move(task));
    wait();
  }
  std::array<Root, kRoots>& roots() { return roots_; }

 private:
  static void* run_thread(void* self);
  static void* await_task(void* self);
  bool do_task();

  const bool waits_blocked_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;
  bool is_busy_ = true;  // until it has told where its roots are
  bool is_ending_ = false;
  std::array<Root, kRoots> roots_{};
  pthread_t thread_{};
};

}  // namespace jackdaw::fuzz
