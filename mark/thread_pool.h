// ThreadPool: the mark threads, kept between collections.
//
// Helpers sleep between jobs. During a job a worker whose part has ended sleeps until it is called back or
// the job is over. A job either wakes all helpers, or begins on the caller's thread and calls helpers one by
// one as it finds work for them. Waking one costs a system call and a processor's wake-up, so a short job
// that calls none is as fast as without helpers. Helpers that will be needed in any case can be woken ahead,
// while the caller prepares the job.
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

#include "mark/own_processor.h"

namespace jackdaw::mark {

/// Helper threads that run one job at a time together with the calling thread.
///
/// One thread at a time may run jobs. A helper thread blocks every signal, so that the program's handlers
/// never run on it.
class ThreadPool {
 public:
  /// A reference to a function that takes the number of the worker that runs it, and must not throw. The
  /// function must exist until the job ends. It is not copied, because that might need memory, and while
  /// threads are stopped one of them may hold malloc's lock.
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

  /// How long a helper that was woken ahead polls for the job.
  static constexpr std::chrono::milliseconds kAwake{1};

  /// Starts `threads` - 1 helpers; the caller of run() is the first worker. `threads` is at least 1. When a
  /// helper cannot be started the pool has fewer, with a warning on stderr. Each helper calls on_start,
  /// unless it is empty.
  explicit ThreadPool(std::uint32_t threads, OnStart on_start = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Whether the calling thread is a helper of any pool.
  [[nodiscard]] static bool is_helper();
  /// Forgets the helpers in a fork's child, where they do not exist; does nothing elsewhere. The fork must
  /// not have come during a job. (The destructor calls it, too.)
  void forget_helpers_after_fork();
  /// Returns the number of workers: the helpers that started, and the caller.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }

  /// Returns the processor time of all helpers since they started. Not while they start.
  [[nodiscard]] std::chrono::nanoseconds helpers_time() const;

  /// Calls job(0) here and job(1) to job(workers - 1) on helpers, and again where call() calls workers back,
  /// and returns when all have returned. The caller then sees all that they wrote. `workers` is from 1 to
  /// size().
  void run(Job job, std::uint32_t workers);
  void run(Job job) { run(job, size()); }

  /// Calls job(0) here, and the job of another worker at each successful call(). A worker that has not woken
  /// up when all others have returned misses the job, so nothing may depend on it.
  void run_on_call(Job job, std::uint32_t workers);
  void run_on_call(Job job) { run_on_call(job, size()); }

  /// Wakes `helpers` helpers, or all if there are fewer, for the next job, which then calls them from its
  /// start. They poll for it for kAwake; after that it has to wake them again. One system call here; each
  /// helper wakes two others.
  void wake_ahead(std::size_t helpers);

  /// Calls, from within a job, the lowest-numbered worker that is away: not called yet, or returned from
  /// job(). False when none is away, or `most_on_the_way` or more are on their way already.
  bool call(std::uint32_t most_on_the_way);

  // Relaxed, in all: these are hints on one line, which is written when workers come, leave and are called.
  /// Returns a bound on the numbers of the workers that were called to the present job.
  [[nodiscard]] std::uint32_t called() const { return called_.load(std::memory_order_relaxed); }
  /// Returns the number of workers that run their part of the job.
  [[nodiscard]] std::uint32_t at_work() const { return at_work_hint_.load(std::memory_order_relaxed); }
  /// Returns how many more may be called until `most` are on their way.
  [[nodiscard]] std::uint32_t callable(std::uint32_t most) const {
    const std::uint32_t on_the_way = on_the_way_hint_.load(std::memory_order_relaxed);
    return std::min(away_hint_.load(std::memory_order_relaxed), most - std::min(most, on_the_way));
  }

 private:
  // A slot holds a worker's thread and state; the first slot is the caller's.
  struct WorkerSlot {
    std::condition_variable called;
    bool is_woken = false;   // is woken for the next job, and has not run since
    bool has_job = false;    // was called to a job that it has not begun
    bool is_asleep = false;  // until it has woken up and taken the lock; false for the first slot
    OwnProcessor processor;  // guarded while it is asleep, else the helper's own
    std::thread thread;
  };

  // A set of workers by number, one bit each.
  class WorkerSet {
   public:
    /// Makes it the numbers from `first` up to `last`, exclusive.
    void assign(std::uint32_t first, std::uint32_t last);
    void add(std::uint32_t worker);
    /// Removes and returns the lowest number; the set must not be empty.
    std::uint32_t take_lowest();
    [[nodiscard]] std::uint32_t size() const { return size_; }
    /// Makes room for workers numbered below this, so that nothing is allocated later. Throws std::bad_alloc.
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
  void come(WorkerSlot& slot);
  void leave(std::uint32_t worker);
  static void keep_off(WorkerSlot& slot, int processor, int second = -1);
  void await_call(std::unique_lock<std::mutex>& lock, WorkerSlot& self);
  void await_job(std::unique_lock<std::mutex>& lock, std::uint32_t worker);
  void publish();

  const OnStart on_start_;
  pid_t process_;     // the process that the helpers run in
  std::mutex mutex_;  // guards all members below except the atomics
  std::optional<Job> job_;
  WorkerSet away_;                // workers of the present job that are neither called nor at work
  std::uint32_t on_the_way_ = 0;  // called and not yet begun
  std::uint32_t at_work_ = 0;
  std::uint32_t woken_ = 0;     // helpers woken for the next job
  int starter_processor_ = -1;  // of the thread that woke them
  bool stopping_ = false;
  std::vector<std::unique_ptr<WorkerSlot>> slots_;
  // These hints are copies of guarded members.
  alignas(128) std::atomic<std::uint32_t> on_the_way_hint_{0};
  std::atomic<std::uint32_t> at_work_hint_{0};
  std::atomic<std::uint32_t> away_hint_{0};
  std::atomic<std::uint32_t> called_{0};
  alignas(128) std::atomic<std::uint64_t> jobs_begun_{0};  // polled by helpers that were woken ahead
};

}  // namespace jackdaw::mark
