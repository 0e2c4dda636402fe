// ThreadPool: the mark threads, kept between collections.
//
// Between jobs the helpers sleep, and so does, within a job, every worker whose part has ended: until it is
// called back, or the job is over. A job wakes all helpers, or begins on the caller's thread alone, and calls
// others, one by one, as it finds work for them. To wake one costs a system call and the time that a
// processor takes to wake up, so a short job that calls none is as fast as if there were no helpers. Helpers
// that will be needed in any case can be woken while the caller still prepares the job.
#pragma once

#include <sys/types.h>

#include <algorithm>
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
  /// A function that takes a number, that of the worker that runs it, and must not throw. Only referred to:
  /// it must be there until the job ends. No copy is made, because that might need memory, and a collector
  /// that has stopped its threads must not ask for any: one of them may hold malloc's lock.
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
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(seats_.size()); }

  /// Calls job(0) here and job(1) to job(workers - 1) on helpers, and again where call() calls workers back,
  /// and returns when all have returned. The caller sees afterwards all that they wrote. `workers` is from 1
  /// to size().
  void run(Job job, std::uint32_t workers);
  void run(Job job) { run(job, size()); }

  /// As above, but calls job(0) alone, and another for each call() that is true. A worker that was called and
  /// has not woken up when all others have returned does without the job. So nothing may depend on it.
  void run_on_call(Job job, std::uint32_t workers);
  void run_on_call(Job job) { run_on_call(job, size()); }

  /// Wakes `helpers` helpers, or all if there are fewer, for the next job, which has them called from its
  /// start, as far as it may have that many. They wait for it awake, but for kAwake at most: then it has to
  /// wake them up again. One system call; each helper wakes two others up.
  void wake_ahead(std::size_t helpers);

  /// From within a job, any worker of it: calls the lowest-numbered worker that is away, which is to say not
  /// called yet or returned from job(). False when no worker was called: `most_on_the_way` or more are on
  /// their way already, or none is away.
  bool call(std::uint32_t most_on_the_way);

  // Relaxed, all: hints, of one line that is written when workers come, go and are called.
  /// Only workers numbered below this have been called to the present job, now or before.
  [[nodiscard]] std::uint32_t called() const { return called_.load(std::memory_order_relaxed); }
  /// Workers that are in their part of it.
  [[nodiscard]] std::uint32_t at_work() const { return at_work_hint_.load(std::memory_order_relaxed); }
  /// How many more may be called to it until `most` are on their way.
  [[nodiscard]] std::uint32_t callable(std::uint32_t most) const {
    const std::uint32_t on_the_way = on_the_way_hint_.load(std::memory_order_relaxed);
    return std::min(away_hint_.load(std::memory_order_relaxed), most - std::min(most, on_the_way));
  }

 private:
  // A worker's place; the first is the caller's.
  struct Seat {
    std::condition_variable called;
    bool is_woken = false;  // for the next job, and does not run yet
    bool has_job = false;   // and has not begun it
    std::thread thread;
  };

  // Workers by number, one bit each.
  class WorkerSet {
   public:
    /// Becomes those from `first` up to, and without, `last`.
    void assign(std::uint32_t first, std::uint32_t last);
    void add(std::uint32_t worker);
    /// Takes the lowest-numbered one out; there must be one.
    std::uint32_t take_lowest();
    [[nodiscard]] std::uint32_t size() const { return size_; }
    /// So that nothing is allocated for workers numbered below this. Throws std::bad_alloc.
    void reserve(std::uint32_t workers) { words_.resize((workers + 63) / 64); }

   private:
    std::vector<std::uint64_t> words_;
    std::uint32_t size_ = 0;
  };

  void start_helpers(std::uint32_t threads);
  void start_helper(std::uint32_t worker);
  void helper_loop(std::uint32_t worker);
  void begin(Job job, std::uint32_t called, std::uint32_t workers);
  void take_part(Job job, bool waits_for_all);
  void come(Seat& seat);
  void leave(std::uint32_t worker);
  void await_job(std::unique_lock<std::mutex>& lock, std::uint32_t worker);
  void publish();

  const OnStart on_start_;
  pid_t process_;     // whose threads the helpers are
  std::mutex mutex_;  // guards all below but the atomics
  std::optional<Job> job_;
  WorkerSet away_;                // of the present job's workers, those that are not called and not at work
  std::uint32_t on_the_way_ = 0;  // those that were called and have not begun
  std::uint32_t at_work_ = 0;
  std::uint32_t woken_ = 0;  // helpers woken for the next job
  bool stopping_ = false;
  std::vector<std::unique_ptr<Seat>> seats_;
  // Hints: copies of what is guarded.
  alignas(128) std::atomic<std::uint32_t> on_the_way_hint_{0};
  std::atomic<std::uint32_t> at_work_hint_{0};
  std::atomic<std::uint32_t> away_hint_{0};
  std::atomic<std::uint32_t> called_{0};
  alignas(128) std::atomic<std::uint64_t> jobs_begun_{0};  // those that were woken watch it
};

}  // namespace jackdaw::mark
