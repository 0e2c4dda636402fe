// ThreadPool: the mark threads, kept between collections.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace jackdaw::mark {

/// Helper threads that run one job at a time together with the thread that asks.
///
/// Between jobs the helpers sleep. One thread at a time may call run. A helper thread blocks every signal, so
/// that the program's handlers never run on it.
class ThreadPool {
 public:
  /// Starts `threads` - 1 helpers; the caller of run() is the first worker. `threads` is at least 1. When a
  /// helper cannot be started the pool has fewer, and says so in one line on stderr. Each helper calls
  /// on_start, unless it is empty, with its worker number before its first job.
  explicit ThreadPool(std::uint32_t threads, std::function<void(std::uint32_t)> on_start = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Workers that run() uses: the helpers that started, and the caller.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(helpers_.size()) + 1; }

  /// Calls job(0) here and job(1) to job(size() - 1) on the helpers, and returns when all have returned. What
  /// any of them wrote is seen by the caller afterwards. The job must not throw.
  void run(const std::function<void(std::uint32_t)>& job);

 private:
  void start_helpers(std::uint32_t threads);
  void helper_loop(std::uint32_t worker);

  const std::function<void(std::uint32_t)> on_start_;
  std::mutex mutex_;
  std::condition_variable job_posted_;
  std::condition_variable job_finished_;
  const std::function<void(std::uint32_t)>* job_ = nullptr;
  std::uint64_t jobs_posted_ = 0;
  std::uint32_t still_running_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace jackdaw::mark
