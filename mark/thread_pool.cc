#include "mark/thread_pool.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <utility>

namespace jackdaw::mark {

namespace {

// Blocks every signal for the lifetime of the object; threads started meanwhile inherit that.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

ThreadPool::ThreadPool(std::uint32_t threads, std::function<void(std::uint32_t)> on_start)
    : on_start_(std::move(on_start)) {
  helpers_.reserve(threads - 1);
  start_helpers(threads);
}

void ThreadPool::start_helpers(std::uint32_t threads) {
  const SignalsBlocked guard;
  for (std::uint32_t worker = 1; worker < threads; ++worker) {
    try {
      helpers_.emplace_back([this, worker] { helper_loop(worker); });
    } catch (const std::exception& error) {
      std::fprintf(stderr, "jackdaw: mark thread %u of %u cannot start (%s); marking with %u\n", worker + 1,
                   threads, error.what(), worker);
      return;
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  job_posted_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ThreadPool::run(const std::function<void(std::uint32_t)>& job) {
  if (!helpers_.empty()) {
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      ++jobs_posted_;
      still_running_ = static_cast<std::uint32_t>(helpers_.size());
    }
    job_posted_.notify_all();
  }
  job(0);
  if (!helpers_.empty()) {
    std::unique_lock lock(mutex_);
    job_finished_.wait(lock, [this] { return still_running_ == 0; });
    job_ = nullptr;
  }
}

void ThreadPool::helper_loop(std::uint32_t worker) {
  if (on_start_) on_start_(worker);
  std::uint64_t jobs_done = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    job_posted_.wait(lock, [&] { return stopping_ || jobs_posted_ != jobs_done; });
    if (stopping_) return;
    jobs_done = jobs_posted_;
    const std::function<void(std::uint32_t)>& job = *job_;
    lock.unlock();
    job(worker);
    lock.lock();
    if (--still_running_ == 0) job_finished_.notify_one();
  }
}

}  // namespace jackdaw::mark
