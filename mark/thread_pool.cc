#include "mark/thread_pool.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/processor_time.h"
#include "base/signals_blocked.h"
#include "base/spin.h"

namespace jackdaw::mark {

namespace {

// The model avoids a call of the thread library at each access, which might call malloc.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool is_helper_thread = false;

}  // namespace

bool ThreadPool::is_helper() { return is_helper_thread; }

void ThreadPool::WorkerSet::assign(std::uint32_t first, std::uint32_t last) {
  std::ranges::fill(words_, 0);
  size_ = 0;
  for (std::uint32_t worker = first; worker < last; ++worker) add(worker);
}

void ThreadPool::WorkerSet::add(std::uint32_t worker) {
  JACKDAW_CHECK((words_[worker / 64] >> (worker % 64) & 1) == 0);
  words_[worker / 64] |= std::uint64_t{1} << (worker % 64);
  ++size_;
}

std::uint32_t ThreadPool::WorkerSet::take_lowest() {
  JACKDAW_CHECK(size_ != 0);
  std::uint32_t word = 0;
  while (words_[word] == 0) ++word;
  const auto bit = static_cast<std::uint32_t>(std::countr_zero(words_[word]));
  words_[word] &= words_[word] - 1;
  --size_;
  return word * 64 + bit;
}

ThreadPool::ThreadPool(std::uint32_t threads, OnStart on_start)
    : on_start_(std::move(on_start)), process_(getpid()) {
  slots_.reserve(threads);
  away_.reserve(threads);
  slots_.push_back(std::make_unique<WorkerSlot>());
  start_helpers(threads);
}

void ThreadPool::start_helpers(std::uint32_t threads) {
  const base::SignalsBlocked guard(base::kAllProgramSignals);
  for (std::uint32_t worker = 1; worker < threads; ++worker) {
    try {
      start_helper(worker);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "jackdaw: mark thread %u of %u cannot start (%s); marking with %u\n", worker + 1,
                   threads, error.what(), worker);
      return;
    }
  }
}

// Throws, with nothing changed, when the helper cannot be started.
void ThreadPool::start_helper(std::uint32_t worker) {
  auto slot = std::make_unique<WorkerSlot>();
  WorkerSlot& started = *slot;
  {
    // The lock is taken because running helpers read the slots.
    const std::lock_guard lock(mutex_);
    slots_.push_back(std::move(slot));
  }
  try {
    started.thread = std::thread([this, worker] { helper_loop(worker); });
  } catch (...) {
    const std::lock_guard lock(mutex_);
    slots_.pop_back();
    throw;
  }
}

// The slots are leaked: their condition variables still have waiters, which do not exist here.
void ThreadPool::forget_helpers_after_fork() {
  if (getpid() == process_) return;
  process_ = getpid();
  for (; slots_.size() > 1; slots_.pop_back()) static_cast<void>(slots_.back().release());
  woken_ = 0;
  // A helper that came too late for a job may have held the lock.
  std::construct_at(&mutex_);
}

ThreadPool::~ThreadPool() {
  forget_helpers_after_fork();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  // Relaxed: see await_job.
  jobs_begun_.fetch_add(1, std::memory_order_relaxed);
  for (const auto& slot : slots_) slot->called.notify_one();
  for (std::size_t worker = 1; worker < slots_.size(); ++worker) slots_[worker]->thread.join();
}

std::chrono::nanoseconds ThreadPool::helpers_time() const {
  std::chrono::nanoseconds time{0};
  if (getpid() != process_) return time;
  for (std::size_t worker = 1; worker < slots_.size(); ++worker)
    time += base::processor_time(slots_[worker]->thread.native_handle());
  return time;
}

void ThreadPool::run(Job job, std::uint32_t workers) {
  begin(job, workers, workers);
  take_part(job, true);
}

void ThreadPool::run_on_call(Job job, std::uint32_t workers) {
  begin(job, 1, workers);
  take_part(job, false);
}

void ThreadPool::begin(Job job, std::uint32_t called, std::uint32_t workers) {
  {
    const std::lock_guard lock(mutex_);
    JACKDAW_CHECK(at_work_ == 0 && on_the_way_ == 0);
    JACKDAW_CHECK(called != 0 && called <= workers && workers <= slots_.size());
    job_ = job;
    called = std::max(called, std::min(woken_ + 1, workers));
    for (std::uint32_t worker = 1; worker <= woken_; ++worker) slots_[worker]->is_woken = false;
    woken_ = 0;
    at_work_ = 1;
    on_the_way_ = called - 1;
    const int processor = OwnProcessor::current();
    for (std::uint32_t worker = 1; worker < called; ++worker) {
      slots_[worker]->has_job = true;
      keep_off(*slots_[worker], processor);
    }
    away_.assign(called, workers);
    // Relaxed: see called().
    called_.store(called, std::memory_order_relaxed);
    publish();
  }
  // Relaxed: see await_job.
  jobs_begun_.fetch_add(1, std::memory_order_relaxed);
  for (std::uint32_t worker = 1; worker < called; ++worker) slots_[worker]->called.notify_one();
}

// Runs the caller's part of a job, again whenever it is called back, until the job is over.
void ThreadPool::take_part(Job job, bool waits_for_all) {
  const auto is_over = [&] { return at_work_ == 0 && (!waits_for_all || on_the_way_ == 0); };
  WorkerSlot& self = *slots_[0];
  job(0);
  std::unique_lock lock(mutex_);
  leave(0);
  for (;;) {
    self.called.wait(lock, [&] { return is_over() || self.has_job; });
    if (is_over()) break;
    come(self);
    lock.unlock();
    job(0);
    lock.lock();
    leave(0);
  }
  for (std::size_t worker = 0; on_the_way_ > 0; ++worker) {
    if (std::exchange(slots_[worker]->has_job, false)) --on_the_way_;
  }
}

bool ThreadPool::call(std::uint32_t most_on_the_way) {
  if (callable(most_on_the_way) == 0) return false;
  WorkerSlot* slot = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (away_.size() == 0 || on_the_way_ >= most_on_the_way) return false;
    const std::uint32_t worker = away_.take_lowest();
    // Relaxed: see called().
    called_.store(std::max(called(), worker + 1), std::memory_order_relaxed);
    slot = slots_[worker].get();
    slot->has_job = true;
    keep_off(*slot, OwnProcessor::current());
    ++on_the_way_;
    publish();
  }
  slot->called.notify_one();
  return true;
}

void ThreadPool::wake_ahead(std::size_t helpers) {
  forget_helpers_after_fork();
  helpers = std::min(helpers, slots_.size() - 1);
  {
    const std::lock_guard lock(mutex_);
    woken_ = static_cast<std::uint32_t>(helpers);
    for (std::size_t worker = 1; worker < slots_.size(); ++worker)
      slots_[worker]->is_woken = worker <= helpers;
    starter_processor_ = OwnProcessor::current();
    if (helpers != 0) keep_off(*slots_[1], starter_processor_);
  }
  if (helpers != 0) slots_[1]->called.notify_one();
}

// Keeps a sleeping helper away from a processor, and from a second one. To be called with the lock held,
// before it is notified.
void ThreadPool::keep_off(WorkerSlot& slot, int processor, int second) {
  if (slot.is_asleep) slot.processor.keep_off(slot.thread.native_handle(), processor, second);
}

// Wakes two further helpers, as one that was woken ahead, and polls for the job. The thread that will start
// the job needs its processor.
void ThreadPool::await_job(std::unique_lock<std::mutex>& lock, std::uint32_t worker) {
  for (const std::uint32_t next : {2 * worker, 2 * worker + 1}) {
    if (next > woken_) break;
    keep_off(*slots_[next], starter_processor_, OwnProcessor::current());
    slots_[next]->called.notify_one();
  }
  // Relaxed, here and below: a hint; the state is read again under the lock.
  const std::uint64_t jobs_before = jobs_begun_.load(std::memory_order_relaxed);
  const auto asleep_from = std::chrono::steady_clock::now() + kAwake;
  lock.unlock();
  slots_[worker]->processor.come_back();
  // Some other thread may need this processor.
  constexpr std::uint32_t kPausesBeforeYield = 64;
  std::uint32_t pauses = 0;
  while (jobs_begun_.load(std::memory_order_relaxed) == jobs_before &&
         std::chrono::steady_clock::now() < asleep_from) {
    if (++pauses % kPausesBeforeYield == 0) {
      std::this_thread::yield();
    } else {
      base::pause_core();
    }
  }
  lock.lock();
}

// Waits until a helper is called, or woken ahead, or the pool ends.
void ThreadPool::await_call(std::unique_lock<std::mutex>& lock, WorkerSlot& self) {
  const auto is_called = [&] { return stopping_ || self.has_job || self.is_woken; };
  self.is_asleep = true;
  while (!is_called()) {
    self.called.wait(lock);
    // The job may have ended meanwhile.
    if (!is_called()) self.processor.come_back();
  }
  self.is_asleep = false;
}

// Counts a called worker as at work.
void ThreadPool::come(WorkerSlot& slot) {
  JACKDAW_CHECK(slot.has_job && on_the_way_ != 0);
  slot.has_job = false;
  --on_the_way_;
  ++at_work_;
  publish();
}

// Counts a worker that has ended its part as away. The round is over when none is at work: a worker leaves
// without tasks, and only workers make tasks.
void ThreadPool::leave(std::uint32_t worker) {
  JACKDAW_CHECK(at_work_ != 0);
  away_.add(worker);
  --at_work_;
  publish();
  if (at_work_ == 0 && worker != 0) slots_[0]->called.notify_one();
}

void ThreadPool::publish() {
  // Relaxed, all: see called().
  on_the_way_hint_.store(on_the_way_, std::memory_order_relaxed);
  at_work_hint_.store(at_work_, std::memory_order_relaxed);
  away_hint_.store(away_.size(), std::memory_order_relaxed);
}

void ThreadPool::helper_loop(std::uint32_t worker) {
  is_helper_thread = true;
  if (on_start_) on_start_(worker);
  std::unique_lock lock(mutex_);
  WorkerSlot& self = *slots_[worker];
  for (;;) {
    await_call(lock, self);
    if (stopping_) return;
    if (std::exchange(self.is_woken, false)) {
      await_job(lock, worker);
      continue;
    }
    come(self);
    const Job job = *job_;
    lock.unlock();
    self.processor.come_back();
    job(worker);
    lock.lock();
    leave(worker);
  }
}

}  // namespace jackdaw::mark
