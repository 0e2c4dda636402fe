#include "gc/process/threads/stoppable_mutex.h"

#include <chrono>
#include <thread>

#include "base/check.h"
#include "base/sanitizers.h"
#include "base/spin.h"
#include "gc/process/threads/stop_protocol.h"
#include "gc/process/threads/stops_by_signal.h"

namespace jackdaw::gc {

namespace {

// The sleepers on turn_ that one bit wakes: one, unless more than 32 queue.
std::uint32_t sleepers_of(std::uint32_t ticket) { return std::uint32_t{1} << ticket % 32; }

// It does so in every function of the C library that it knows, not in system calls.
[[maybe_unused]] void let_sanitizer_hand_on_signals() {
  if (base::has_thread_sanitizer()) static_cast<void>(std::chrono::steady_clock::now());
}

// Until the word may have changed. Sleepers are told apart by the bits of `sleepers`.
void wait(base::FutexWord& word, std::uint32_t unwanted,
          std::uint32_t sleepers = base::FutexWord::kAllSleepers) {
  if constexpr (kStopsBySignal) {
    StopProtocol::sleep_on(word, unwanted, sleepers);
    let_sanitizer_hand_on_signals();
  } else {
    StopProtocol::safepoint();
    std::this_thread::yield();
  }
}

}  // namespace

bool StoppableMutex::try_lock() {
  add_use();
  const bool is_taken = take();
  if (!is_taken) end_use();
  return is_taken;
}

bool StoppableMutex::take() {
  std::atomic<std::uint32_t>& word = state_.value();
  // Relaxed, here and in the failing exchange: a guess that the exchange checks.
  std::uint32_t state = word.load(std::memory_order_relaxed);
  while ((state & kHeld) == 0 && ((state & kAwaited) == 0 || state < kNoPassLeft)) {
    const std::uint32_t held = (state & kAwaited) == 0 ? kHeld : (state + kPass) | kHeld;
    // Acquire: pairs with the release in unlock.
    if (word.compare_exchange_weak(state, held, std::memory_order_acquire, std::memory_order_relaxed)) {
      // Relaxed, here and below: only its own writes tell a thread that it is the holder.
      holder_.store(pthread_self(), std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

void StoppableMutex::unlock() {
  JACKDAW_CHECK(is_held_by_caller());
  holder_.store(pthread_t{}, std::memory_order_relaxed);
  // Release: pairs with the acquires of the next taker.
  const std::uint32_t state = state_.value().fetch_and(~(kHeld | kAsleep), std::memory_order_release);
  JACKDAW_CHECK((state & kHeld) != 0);
  if ((state & kAsleep) != 0) state_.wake_all();
  end_use();
}

// Relaxed: read again by the next taker of the mutex, behind the release in unlock.
void StoppableMutex::let_nobody_pass() {
  JACKDAW_CHECK(is_held_by_caller());
  state_.value().fetch_or(kNoPassLeft, std::memory_order_relaxed);
}

bool StoppableMutex::is_held_by_caller() const {
  return pthread_equal(holder_.load(std::memory_order_relaxed), pthread_self()) != 0;
}

// Relaxed, all: there is no other thread.
void StoppableMutex::forget_queue() {
  JACKDAW_CHECK(is_held_by_caller());
  state_.value().store(kHeld, std::memory_order_relaxed);
  next_.store(turn_.value().load(std::memory_order_relaxed), std::memory_order_relaxed);
}

bool StoppableMutex::take_by_polling() {
  // Relaxed: see set_polling_time.
  return base::poll_for(polling_time_.load(std::memory_order_relaxed), [this] {
    StopProtocol::safepoint();
    return take();
  });
}

// Sequentially consistent, all accesses to next_ and turn_: either the thread that moves the turn on sees
// that a ticket was taken, or its taker sees the turn.
void StoppableMutex::lock_slowly() {
  if (take_by_polling()) return;
  const std::uint32_t ticket = next_.fetch_add(1, std::memory_order_seq_cst);
  for (;;) {
    const std::uint32_t turn = turn_.value().load(std::memory_order_seq_cst);
    if (turn == ticket) break;
    wait(turn_, turn, sleepers_of(ticket));
  }
  take_as_first();
  holder_.store(pthread_self(), std::memory_order_relaxed);
  // Relaxed: only the first in the queue, which this thread is, moves the turn on.
  JACKDAW_CHECK(turn_.value().load(std::memory_order_relaxed) == ticket);
  const std::uint32_t next = ticket + 1;
  turn_.value().store(next, std::memory_order_seq_cst);
  if (next_.load(std::memory_order_seq_cst) == next) return;
  // Before the next one wakes up: from now on passes count. Relaxed: published by the release in unlock.
  state_.value().fetch_or(kAwaited, std::memory_order_relaxed);
  turn_.wake(sleepers_of(next));
}

// Clears the count of passes, too. A thread that has slept, and was passed before it woke up, lets none pass
// any more.
void StoppableMutex::take_as_first() {
  std::atomic<std::uint32_t>& word = state_.value();
  bool has_slept = false;
  // Relaxed, here and in the exchanges but one: the state is read again before the mutex is taken.
  std::uint32_t state = word.load(std::memory_order_relaxed);
  for (;;) {
    const std::uint32_t asleep = state | kAwaited | kAsleep | (has_slept ? kNoPassLeft : 0);
    if ((state & kHeld) == 0) {
      // Acquire: pairs with the release in unlock.
      if (word.compare_exchange_weak(state, kHeld, std::memory_order_acquire, std::memory_order_relaxed))
        return;
    } else if (state != asleep) {
      word.compare_exchange_weak(state, asleep, std::memory_order_relaxed);
    } else {
      wait(state_, state);
      has_slept = true;
      state = word.load(std::memory_order_relaxed);
    }
  }
}

}  // namespace jackdaw::gc
