#include "mark/thread_pool.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "base/signals_blocked.h"
#include "base/spin.h"

namespace jackdaw::mark {

namespace {

// Without a call of the thread library's at each access, which might ask malloc.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool is_helper_thread = false;

}  // namespace

bool ThreadPool::is_helper() { return is_helper_thread; }

ThreadPool::ThreadPool(std::uint32_t threads, OnStart on_start)
    : on_start_(std::move(on_start)), process_(getpid()) {
  helpers_.reserve(threads - 1);
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

// Throws, with nothing changed, when it cannot be.
void ThreadPool::start_helper(std::uint32_t worker) {
  auto helper = std::make_unique<Helper>();
  Helper& started = *helper;
  {
    // The helper looks for its entry under the lock.
    const std::lock_guard lock(mutex_);
    helpers_.push_back(std::move(helper));
  }
  try {
    started.thread = std::thread([this, worker] { helper_loop(worker); });
  } catch (...) {
    const std::lock_guard lock(mutex_);
    helpers_.pop_back();
    throw;
  }
}

// Their condition variables have waiters for ever, so they are left as they are.
void ThreadPool::forget_helpers_after_fork() {
  if (getpid() == process_) return;
  process_ = getpid();
  for (auto& helper : helpers_) static_cast<void>(helper.release());
  helpers_.clear();
  woken_ = 0;
}

ThreadPool::~ThreadPool() {
  forget_helpers_after_fork();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  // Relaxed: see await_job.
  jobs_begun_.fetch_add(1, std::memory_order_relaxed);
  for (const auto& helper : helpers_) helper->called.notify_one();
  for (const auto& helper : helpers_) helper->thread.join();
}

void ThreadPool::run(Job job, std::uint32_t workers) {
  begin(job, workers - 1, workers - 1);
  job(0);
  std::unique_lock lock(mutex_);
  job_finished_.wait(lock, [this] { return at_work_ == 0 && on_the_way_ == 0; });
}

void ThreadPool::run_on_call(Job job, std::uint32_t workers) {
  begin(job, 0, workers - 1);
  job(0);
  std::unique_lock lock(mutex_);
  job_finished_.wait(lock, [this] { return at_work_ == 0; });
  for (std::size_t i = 0; on_the_way_ > 0; ++i) {
    if (std::exchange(helpers_[i]->has_job, false)) --on_the_way_;
  }
}

void ThreadPool::begin(Job job, std::size_t helpers, std::size_t most_helpers) {
  {
    const std::lock_guard lock(mutex_);
    job_ = job;
    most_helpers_ = most_helpers;
    helpers = std::max(helpers, std::min(woken_, most_helpers));
    for (std::size_t i = 0; i < woken_; ++i) helpers_[i]->is_woken = false;
    woken_ = 0;
    called_ = on_the_way_ = helpers;
    for (std::size_t i = 0; i < helpers; ++i) helpers_[i]->has_job = true;
    publish_callable();
  }
  // Relaxed: see await_job.
  jobs_begun_.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < helpers; ++i) helpers_[i]->called.notify_one();
}

bool ThreadPool::call_helper() {
  // Relaxed: a hint; the truth is under the lock.
  if (callable_.load(std::memory_order_relaxed) == 0) return false;
  Helper* helper = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (callable_.load(std::memory_order_relaxed) == 0) return false;
    helper = helpers_[called_++].get();
    helper->has_job = true;
    ++on_the_way_;
    publish_callable();
  }
  helper->called.notify_one();
  return true;
}

void ThreadPool::wake_ahead(std::size_t helpers) {
  helpers = std::min(helpers, helpers_.size());
  {
    const std::lock_guard lock(mutex_);
    woken_ = helpers;
    for (std::size_t i = 0; i < helpers_.size(); ++i) helpers_[i]->is_woken = i < helpers;
  }
  if (helpers != 0) helpers_[0]->called.notify_one();
}

// A helper that was woken: waits for the job.
void ThreadPool::await_job(std::unique_lock<std::mutex>& lock, std::size_t helper) {
  for (const std::size_t next : {2 * helper + 1, 2 * helper + 2}) {
    if (next < woken_) helpers_[next]->called.notify_one();
  }
  // Relaxed, here and below: a hint; the truth is under the lock.
  const std::uint64_t jobs_before = jobs_begun_.load(std::memory_order_relaxed);
  const auto asleep_from = std::chrono::steady_clock::now() + kAwake;
  lock.unlock();
  // Whoever is about to give the job may need this processor.
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

// As many may be on their way as are at work, the caller included: so a team doubles, and a short job has
// not called many in vain.
void ThreadPool::publish_callable() {
  const std::size_t at_work = at_work_ + 1;
  const std::size_t room = at_work > on_the_way_ ? at_work - on_the_way_ : 0;
  // Relaxed: see call_helper.
  callable_.store(std::min(room, most_helpers_ - called_), std::memory_order_relaxed);
}

void ThreadPool::helper_loop(std::uint32_t worker) {
  is_helper_thread = true;
  if (on_start_) on_start_(worker);
  std::unique_lock lock(mutex_);
  Helper& self = *helpers_[worker - 1];
  for (;;) {
    self.called.wait(lock, [&] { return stopping_ || self.has_job || self.is_woken; });
    if (stopping_) return;
    if (std::exchange(self.is_woken, false)) {
      await_job(lock, worker - 1);
      continue;
    }
    self.has_job = false;
    --on_the_way_;
    ++at_work_;
    publish_callable();
    const Job job = *job_;
    lock.unlock();
    job(worker);
    lock.lock();
    if (--at_work_ == 0) job_finished_.notify_one();
  }
}

}  // namespace jackdaw::mark
