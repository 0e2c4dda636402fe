// StopRequests: how a thread is asked to stand still, and waited for.
//
// It is sent the stop signal. A thread that does not answer is looked at from time to time: it may have
// ended, block the signal, or sleep where it stops by itself or is stopped already.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/futex_word.h"
#include "gc/process/threads/process_thread.h"
#include "gc/process/threads/stop_signal.h"
#include "gc/process/threads/thread_list.h"

namespace jackdaw::gc {

/// Used under the lock of the list, but where something else is said.
class StopRequests {
 public:
  /// How long threads that were asked have been waited for.
  struct Patience {
    std::chrono::milliseconds waited{0};
    std::chrono::milliseconds blocked{0};  ///< of that, the last, with a thread that cannot be asked
  };

  /// A thread that no signal reaches for `patience` while it is to stop ends the program; 0: never.
  StopRequests(ThreadList& list, StopSignal::Handler handler, std::chrono::seconds patience)
      : list_(list), signal_(handler), patience_(patience) {}
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

  StopSignal& signal() { return signal_; }
  [[nodiscard]] const StopSignal& signal() const { return signal_; }
  /// Threads that were asked in this stop and do not stand still yet. Any thread.
  base::FutexWord& still_running() { return still_running_; }

  /// Before threads are asked.
  // Relaxed: see look_for_strangers.
  void forget_stranger() { stranger_.store(0, std::memory_order_relaxed); }
  /// Asks a thread. Returns whether that was possible.
  bool ask_to_stop(ProcessThread& thread);
  /// Waits until the word, which answers change, may not be `unwanted` any more, and asks again threads that
  /// did not answer.
  void await_answers(base::FutexWord& word, std::uint32_t unwanted, Patience& patience);
  /// In a signal handler: the calling thread was asked and is not registered.
  // Relaxed: the number is all that is told.
  void note_stranger(pid_t number) { stranger_.store(number, std::memory_order_relaxed); }

  /// Whether a thread is asked and did not answer. Any thread.
  // Relaxed: a hint.
  static bool is_unanswered(const ProcessThread& thread) {
    return thread.asked_stop_.load(std::memory_order_relaxed) % 2 != 0 ||
           thread.suspension() == Suspension::asked;
  }
  /// What marks a stop that was answered for the thread. Numbers of stops are odd, so this is none.
  static constexpr std::uint32_t answered_for(std::uint32_t stop) { return stop + 1; }

 private:
  // The threads that are asked and did not answer yet.
  struct Unanswered {
    std::uint32_t count = 0;
    const ProcessThread* deaf = nullptr;  // one that cannot be asked
  };

  [[nodiscard]] int signal_for(const ProcessThread& thread) const;
  bool signal_thread(ProcessThread& thread, int signal);
  void note_gone(ProcessThread& thread);
  void look_for_strangers();
  Unanswered ask_again(bool is_first_time);
  bool ask_otherwise(ProcessThread& thread, bool is_first_time);
  static bool wakes_to_stop(ProcessThread& thread);
  bool stands_in_spawn(ProcessThread& thread);
  void give_up(const ProcessThread& thread) const;

  ThreadList& list_;
  StopSignal signal_;
  const std::chrono::seconds patience_;
  base::FutexWord still_running_;
  // The number of a thread that was asked and is not registered, 0 when there is none: the system gave it
  // again. As long as the list's lock is held, the thread cannot register.
  std::atomic<pid_t> stranger_{0};
};

}  // namespace jackdaw::gc
