#include "gc/process/scavenger.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "base/processor_time.h"
#include "base/signals_blocked.h"
#include "base/system_call_filter.h"
#include "gc/process/marking_on_demand.h"
#include "gc/process/threads/own_work.h"

namespace jackdaw::gc {

namespace {

// The heap gives back in steps of up to this size, and less is not worth a wake-up.
constexpr std::uint64_t kStep = heap::HugePages::kBytes;
// The thread takes this many steps at most before it looks at the clock.
constexpr int kStepsAtOnce = 256;
// A program is idle that soon allocates at most this part of what it uses.
constexpr std::uint64_t kIdlePart = 64;
// The thread calls few functions.
constexpr std::size_t kStackBytes = std::size_t{256} << 10;

}  // namespace

Scavenger::Scavenger(const ProcessOptions& options, heap::Heap& heap, StoppableMutex& lock,
                     ThreadRegistry& threads, CollectionPlan& plan)
    : may_have_thread_(options.marking.engine.threads > 1 || options.marking.engine.processors == 1),
      heeds_pressure_(options.fits_memory),
      starts_filtered_(base::has_system_call_filter()),
      kernel_folders_(options.kernel_folders),
      heap_(heap),
      lock_(lock),
      threads_(threads),
      plan_(plan) {}

void Scavenger::note_collection(Clock::time_point now) {
  awaits_sweep_ = true;
  is_refused_.store(false, std::memory_order_relaxed);
  note_swept(now);
}

void Scavenger::note_swept(Clock::time_point now) {
  note_awaited_sweep(now);
  // A sweep under way may leave as much free as is used, and nobody calls at its end.
  const heap::HeapUsage& usage = heap_.usage();
  const std::uint64_t may_be_free = usage.free + (awaits_sweep_ ? std::uint64_t{usage.used} : 0);
  if (has_thread_ || (may_be_free >= kWorthAThread && start_thread())) return wake_thread();
  demand_.note_allocated(usage.allocated, now);
  const ThreadRegistry::CriticalSection critical(threads_.this_thread());
  while (give_back(now)) continue;
}

// Where the lock is held, a collection may be under way, or the next large object that is freed comes here.
void Scavenger::note_freed() {
  if (heap_.usage().free < kWorthAThread || is_refused_.load(std::memory_order_relaxed)) return;
  if (has_thread_) return wake_thread();
  const std::unique_lock lock(lock_, std::try_to_lock);
  if (lock && !start_thread()) is_refused_.store(true, std::memory_order_relaxed);
}

// Only a sweep that is over tells how much memory the heap needs, and which blocks are partly free.
void Scavenger::note_awaited_sweep(Clock::time_point now) {
  if (!awaits_sweep_ || plan_.is_sweeping()) return;
  awaits_sweep_ = false;
  plan_.note_swept();
  demand_.note_collection(plan_.expected_use(), now);
  if (std::exchange(is_memory_short_, false)) demand_.forget();
  place_ = {};
  has_free_pages_ = true;
}

// To start a thread may wait for one that waits for the collector or is suspended, and takes addresses.
bool Scavenger::start_thread() {
  if (has_thread_) return true;
  if (!may_have_thread_ || MarkingOnDemand::starts_at_once() || threads_.suspension().has_suspended())
    return false;
  const OwnWork own_work;
  const base::SignalsBlocked blocked(base::kAllProgramSignals);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  has_thread_ = pthread_create(&thread_, &attributes, run_thread, this) == 0;
  pthread_attr_destroy(&attributes);
  return has_thread_;
}

// Relaxed, both: the heap's lock orders what became free, and what a collection noted, and this before the
// thread looks, or the thread's change to resting before this.
void Scavenger::wake_thread() {
  std::uint32_t before = resting;
  if (state_.value().load(std::memory_order_relaxed) == resting &&
      state_.value().compare_exchange_strong(before, looking, std::memory_order_relaxed))
    state_.wake_all();
}

// Sequentially consistent, all accesses here and in run: either the thread finds the errand before it rests,
// or this finds it resting.
void Scavenger::call_soon(bool (*errand)()) {
  if (!has_thread_) return;
  errand_.store(errand);
  std::uint32_t before = resting;
  state_.value().compare_exchange_strong(before, looking);
  state_.wake_all();
}

std::chrono::nanoseconds Scavenger::thread_time() const {
  return has_thread_ ? ended_time_ + base::processor_time(thread_) : ended_time_;
}

void Scavenger::end_thread() {
  if (!has_thread_) return;
  // A thread that has ended has no clock.
  ended_time_ = thread_time();
  state_.value().store(ending, std::memory_order_relaxed);
  state_.wake_all();
  pthread_join(thread_, nullptr);
  forget_thread();
}

void Scavenger::after_fork_in_child() {
  forget_thread();
  errand_.store(nullptr);
  ended_time_ = {};
}

void Scavenger::forget_thread() {
  has_thread_ = false;
  state_.value().store(resting, std::memory_order_relaxed);
}

void* Scavenger::run_thread(void* self) {
  const OwnWork own_work;
  static_cast<Scavenger*>(self)->run();
  return nullptr;
}

// A collection that comes while the thread looks changes the state, so that the thread does not rest after
// it.
void Scavenger::run() {
  const auto change = [&](std::uint32_t from, std::uint32_t to) {
    state_.value().compare_exchange_strong(from, to);
  };
  has_rested_.store(true, std::memory_order_relaxed);
  for (;;) {
    change(looking, resting);
    if (state_.value().load(std::memory_order_relaxed) == ending) return;
    if (const auto errand = errand_.exchange(nullptr); errand != nullptr && !errand()) {
      errand_.store(errand);
      state_.wait_for(resting, kErrandInterval);
      continue;
    }
    if (const auto time = scavenge(Clock::now())) {
      change(resting, looking);
      state_.wait_for(looking, *time);
    } else {
      state_.wait(resting);
      has_rested_.store(true, std::memory_order_relaxed);
    }
  }
}

// Finds the kernel's file at first. A filter of system calls that the program has installed may end it when a
// file is opened.
bool Scavenger::reads_pressure() {
  if (!heeds_pressure_ || (!starts_filtered_ && base::has_system_call_filter())) return false;
  try {
    if (!pressure_) pressure_.emplace(kernel_folders_);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

// Asks for a collection, which only a mutator that allocates makes. Called with the collector's lock.
void Scavenger::look_at_pressure(Clock::time_point now) {
  if (!alarm_.is_reading_due(now) || !reads_pressure()) return;
  const auto stalled = pressure_->stalled();
  if (!stalled || !alarm_.note(*stalled, now)) return;
  demand_.forget();
  if (!is_idle()) is_memory_short_ = plan_.ask_for_collection();
}

std::optional<std::chrono::milliseconds> Scavenger::scavenge(Clock::time_point now) {
  for (int step = 0; step < kStepsAtOnce; ++step) {
    const std::unique_lock lock(lock_, std::try_to_lock);
    if (!lock) return kRetryInterval;
    // Relaxed, here and in run: the thread itself sets it.
    if (has_rested_.exchange(false, std::memory_order_relaxed)) {
      demand_.note_allocated_anew(heap_.usage().allocated, now);
    } else {
      demand_.note_allocated(heap_.usage().allocated, now);
    }
    look_at_pressure(now);
    if (!give_back(now)) return until_next_look();
  }
  return kInterval;
}

// Takes a step, and returns whether there was one to take. With the collector's lock.
bool Scavenger::give_back(Clock::time_point now) {
  note_awaited_sweep(now);
  // A program that allocates slowly then collects before it has written to all that is to go back.
  const GrowthPolicy::Found& found = plan_.found();
  plan_.limit_room(demand_.at(now, found.live_bytes + found.floating_bytes));
  const heap::HeapUsage& usage = heap_.usage();
  const std::uint64_t keep = std::max(plan_.minimum_heap(), demand_.at(now, usage.used));
  if (heap_.give_back_some(keep) != 0) return true;
  is_refused_.store(usage.used + usage.free >= keep + kStep, std::memory_order_relaxed);
  if (!has_free_pages_ || awaits_sweep_ || !is_idle()) return false;
  std::uint64_t released = 0;
  has_free_pages_ = heap_.release_free_pages_from(place_, released);
  return has_free_pages_;
}

bool Scavenger::is_idle() const {
  const std::uint64_t little = heap_.usage().used / kIdlePart;
  return demand_.soon(little + 1) <= little;
}

std::optional<std::chrono::milliseconds> Scavenger::until_next_look() const {
  const heap::HeapUsage& usage = heap_.usage();
  const std::uint64_t at_least = std::max<std::uint64_t>(usage.used, plan_.minimum_heap()) + kStep;
  if (awaits_sweep_ || (!is_refused_.load(std::memory_order_relaxed) && usage.used + usage.free > at_least))
    return kInterval;
  if (has_free_pages_) return kLongInterval;
  return std::nullopt;
}

}  // namespace jackdaw::gc
