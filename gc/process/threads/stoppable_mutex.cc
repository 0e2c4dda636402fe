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

// Returns the sleepers on turn_ that a ticket's bit wakes: one, unless more than 32 threads queue.
std::uint32_t sleepers_of(std::uint32_t ticket) { return std::uint32_t{1} << ticket % 32; }

// ThreadSanitizer delivers signals in every function of the C library that it knows, but not in system calls.
[[maybe_unused]] void let_sanitizer_hand_on_signals() {
  if (base::has_thread_sanitizer()) static_cast<void>(std::chrono::steady_clock::now());
}

// Waits until the word may have changed. The bits of `sleepers` tell sleepers apart.
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
      // Relaxed, here and below: a thread recognises itself as the holder only by its own write.
      holder_.store(pthread_self(), std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

void StoppableMutex::unlock() {
  JACKDAW_CHECK(is_held_by_caller());
  holder_.store(pthread_t{}, std::memory_order_relaxed);
  // Release: pairs with the acquires of the next holder.
  const std::uint32_t state = state_.value().fetch_and(~(kHeld | kAsleep), std::memory_order_release);
  JACKDAW_CHECK((state & kHeld) != 0);
  if ((state & kAsleep) != 0) state_.wake_all();
  end_use();
}

// Relaxed: the next holder reads it after the release in unlock.
void StoppableMutex::let_nobody_pass() {
  JACKDAW_CHECK(is_held_by_caller());
  state_.value().fetch_or(kNoPassLeft, std::memory_order_relaxed);
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

// Sequentially consistent, all accesses to next_ and turn_: either the thread that advances the turn sees
// that a ticket was taken, or the ticket's holder sees the turn.
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
  // Relaxed: only the first in the queue, which is this thread, advances the turn.
  JACKDAW_CHECK(turn_.value().load(std::memory_order_relaxed) == ticket);
  const std::uint32_t next = ticket + 1;
  turn_.value().store(next, std::memory_order_seq_cst);
  if (next_.load(std::memory_order_seq_cst) == next) return;
  // Passes count from before the next thread wakes up. Relaxed: published by the release in unlock.
  state_.value().fetch_or(kAwaited, std::memory_order_relaxed);
  turn_.wake(sleepers_of(next));
}

// Also clears the count of passes. A thread that slept, and was passed before it woke up, lets no other pass.
void StoppableMutex::take_as_first() {
  std::atomic<std::uint32_t>& word = state_.value();
  bool has_slept = false;
  // Relaxed, here and in all exchanges but one: the state is read again before the mutex is taken.
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
