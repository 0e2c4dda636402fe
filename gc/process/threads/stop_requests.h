// StopRequests: asks threads to stop, and waits for their answers.
//
// Each thread is sent the stop signal. The collector checks from time to time on a thread that does not
// answer: it may have ended, block the signal, or sleep where it will stop by itself or is stopped already.
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

/// The list's lock must be held, unless a function says otherwise.
class StopRequests {
 public:
  /// How long the caller has waited for threads that were asked.
  struct Patience {
    std::chrono::milliseconds waited{0};
    std::chrono::milliseconds blocked{0};  ///< the last part of it, with a thread that no signal reaches
  };

  /// The program ends if a thread that is to stop cannot be reached by a signal for `patience`; 0: never.
  StopRequests(ThreadList& list, StopSignal::Handler handler, std::chrono::seconds patience)
      : list_(list), signal_(handler), patience_(patience) {}
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

  StopSignal& signal() { return signal_; }
  [[nodiscard]] const StopSignal& signal() const { return signal_; }
  /// The number of threads that were asked in this stop and have not stopped yet. Any thread.
  base::FutexWord& still_running() { return still_running_; }

  /// Must be called before threads are asked.
  // Relaxed: see look_for_strangers.
  void forget_stranger() { stranger_.store(0, std::memory_order_relaxed); }
  /// Asks a thread to stop. Returns whether that was possible.
  bool ask_to_stop(ProcessThread& thread);
  /// Waits, for a limited time, until the word, which answers change, is no longer `unwanted`. Then asks the
  /// threads again that did not answer.
  void await_answers(base::FutexWord& word, std::uint32_t unwanted, Patience& patience);
  /// Called in a signal handler when the calling thread was asked but is not registered.
  // Relaxed: the number orders nothing.
  void note_stranger(pid_t number) { stranger_.store(number, std::memory_order_relaxed); }

  /// Whether a thread was asked and has not answered. Any thread.
  // Relaxed: a hint.
  static bool is_unanswered(const ProcessThread& thread) {
    return thread.asked_stop_.load(std::memory_order_relaxed) % 2 != 0 ||
           thread.suspension() == Suspension::asked;
  }
  /// Marks a stop that the collector answered for the thread. Numbers of stops are odd, so this is none.
  static constexpr std::uint32_t answered_for(std::uint32_t stop) { return stop + 1; }

 private:
  // The threads that were asked and have not answered.
  struct Unanswered {
    std::uint32_t count = 0;
    const ProcessThread* unreachable = nullptr;  // one that no signal reaches
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
  // The number of a thread that was asked but is not registered, or 0: a registered thread ended, and the
  // system reused its number. The new thread cannot register while the list's lock is held.
  std::atomic<pid_t> stranger_{0};
};

}  // namespace jackdaw::gc
