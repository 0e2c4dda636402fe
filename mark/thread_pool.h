// ThreadPool: the mark threads, kept between collections.
//
// Between jobs the helpers sleep here; within a round of marking, idle workers sleep in the terminator
// (mark/termination/). A job wakes all helpers, or begins on the caller's thread alone and calls them, one by
// one, as it finds work for them. To wake one costs a system call and the time that a processor takes to wake
// up, so a short job that calls none is as fast as if there were no helpers. Helpers that will be needed in
// any case can be woken while the caller still prepares the job.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace jackdaw::mark {

/// Helper threads that run one job at a time together with the thread that asks.
///
/// Between jobs the helpers sleep. One thread at a time may run jobs. A helper thread blocks every signal, so
/// that the program's handlers never run on it.
class ThreadPool {
 public:
  /// A function that takes the number of the worker that runs it, and must not throw. Only referred to: it
  /// must be there until the job ends. No copy is made, because that might need memory, and a collector that
  /// has stopped its threads must not ask for any: one of them may hold malloc's lock.
  class Job {
   public:
    template <typename Function>
    requires std::invocable<const Function&, std::uint32_t>
    // NOLINTNEXTLINE(google-explicit-constructor): stands for the function
    Job(const Function& function)
        : function_(&function), call_([](const void* called, std::uint32_t worker) {
            (*static_cast<const Function*>(called))(worker);
          }) {}
    void operator()(std::uint32_t worker) const { call_(function_, worker); }

   private:
    const void* function_;
    void (*call_)(const void*, std::uint32_t);
  };
  /// A function that each helper calls, with its worker number, before its first job.
  using OnStart = std::function<void(std::uint32_t)>;

  /// How long a helper stays awake that was woken.
  static constexpr std::chrono::milliseconds kAwake{1};

  /// Starts `threads` - 1 helpers; the caller of run() is the first worker. `threads` is at least 1. When a
  /// helper cannot be started the pool has fewer, and says so in one line on stderr. Each helper calls
  /// on_start, unless it is empty.
  explicit ThreadPool(std::uint32_t threads, OnStart on_start = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Whether the calling thread is a helper, of any pool.
  [[nodiscard]] static bool is_helper();
  /// In the child of a fork, where the helpers did not come along: from now on there are none. Elsewhere it
  /// does nothing. The fork must not have come during a job. (The destructor calls it, too.)
  void forget_helpers_after_fork();
  /// Workers that run() uses: the helpers that started, and the caller.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(helpers_.size()) + 1; }

  /// Calls job(0) here and job(1) to job(workers - 1) on helpers, and returns when all have returned. What
  /// any of them wrote is seen by the caller afterwards. `workers` is from 1 to size().
  void run(Job job, std::uint32_t workers);
  void run(Job job) { run(job, size()); }

  /// Calls job(0) here, and job(1), job(2) and so on, on one more helper for each call_helper() that is true,
  /// but not more than `workers` in all. Returns when all that began have returned; a helper that was called
  /// and has not woken up by then does without the job. So nothing may depend on it.
  void run_on_call(Job job, std::uint32_t workers);
  void run_on_call(Job job) { run_on_call(job, size()); }

  /// Wakes so many helpers, or all if there are fewer, for the next job, which has them called from its
  /// start, as far as it may have so many. They wait for it awake, but for kAwake at most: then it has to
  /// wake them up again. One system call; each helper wakes two others up.
  void wake_ahead(std::size_t helpers);

  /// From within a job of run_on_call(), any worker of it: calls the next helper. False when nobody was
  /// called: all were, or as many or more are on their way already as are at work. Then it is one load of a
  /// line that is written when helpers are called or come.
  bool call_helper();

 private:
  struct Helper {
    std::condition_variable called;
    bool is_woken = false;  // for the next job, and does not run yet
    bool has_job = false;   // and has not begun it
    std::thread thread;
  };

  void start_helpers(std::uint32_t threads);
  void start_helper(std::uint32_t worker);
  void helper_loop(std::uint32_t worker);
  void begin(Job job, std::size_t helpers, std::size_t most_helpers);
  void await_job(std::unique_lock<std::mutex>& lock, std::size_t helper);
  void publish_callable();

  const OnStart on_start_;
  pid_t process_;     // whose threads the helpers are
  std::mutex mutex_;  // guards all below but the atomics
  std::condition_variable job_finished_;
  std::optional<Job> job_;
  std::size_t most_helpers_ = 0;  // that the present job may have
  std::size_t called_ = 0;        // helpers called to the present job
  std::size_t on_the_way_ = 0;    // of them, those that have not begun it
  std::size_t at_work_ = 0;       // of them, those that have begun and not finished it
  std::size_t woken_ = 0;         // helpers woken for the next job
  bool stopping_ = false;
  std::vector<std::unique_ptr<Helper>> helpers_;
  alignas(128) std::atomic<std::size_t> callable_{0};      // how many may be called now
  alignas(128) std::atomic<std::uint64_t> jobs_begun_{0};  // those that were woken watch it
};

}  // namespace jackdaw::mark
