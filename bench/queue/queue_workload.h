// The loops of `jackdaw queue`: an owner alone, an owner with a thief, and a pool of workers.
//
// Source: Wang et al., "BWoS", OSDI 2023, §6.2.1 to §6.2.3: the microbenchmarks.
//
// How it is measured: an operation takes a nanosecond or less, so each does only what is cheap and the same
// for every queue: a task is the number after the last one, and tasks that come out are added up. The owner's
// two loops, fill() and drain(), are separate functions, compiled once for each queue and used in all three
// experiments. They get the queue through an opaque pointer, so that a compiler cannot keep the queue in
// registers between them; within one of them it may, as in a real owner's loop. Clocks are read once in some
// ten thousand operations.
//
// "Full" means the same for every queue: the owner fills up to the capacity, and a queue that would take more
// is asked for its size before each fill.
//
// Nothing in here waits. An owner whose queue is full continues with its gets; a thief that finds nothing
// counts that and continues. Threads meet once, at the start.
//
// The sums and numbers of tasks that went in and came out must be equal (`conserved`), which reveals a queue
// that loses or doubles tasks.
//
// Threads: a QueueOwner belongs to the thread that runs the owner's part of its queue, a QueueThief to one
// other thread. The measure functions may be called by one thread at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <latch>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/spin.h"
#include "bench/queue/queue_measurement.h"
#include "bench/victims/any.h"
#include "mark/queue/queue.h"
#include "mark/thread_pool.h"

namespace jackdaw::bench {

/// The tasks of these queues have eight bytes, as in the paper.
using QueueTask = std::uint64_t;

/// One thread's share of a measurement, on cache lines of its own.
struct alignas(128) WorkerTally {
  QueueCounts counts;
  std::uint64_t put_sum = 0;    ///< of all tasks that were put, modulo 2^64
  std::uint64_t taken_sum = 0;  ///< of all tasks that were got or stolen
  std::chrono::steady_clock::time_point start;
  std::chrono::steady_clock::time_point end;
};

/// Returns `value` in a way that hides it from the compiler, so that no loop is specialised for it.
template <typename Value>
Value opaque(Value value) {
  asm volatile("" : "+r"(value) : : "memory");
  return value;
}

/// Puts the tasks from `next` on until `most` are in or the queue is full. Returns how many went in.
template <typename Queue>
[[gnu::noinline, gnu::aligned(64)]] std::uint64_t fill(Queue& queue, std::uint64_t most, QueueTask next) {
  std::uint64_t puts = 0;
  while (puts != most && queue.push(next + puts)) ++puts;
  return puts;
}

/// Gets until `most` came out or the queue is empty, and adds them to `sum`. Returns how many came out.
template <typename Queue>
[[gnu::noinline, gnu::aligned(64)]] std::uint64_t drain(Queue& queue, std::uint64_t most,
                                                        std::uint64_t& sum) {
  std::uint64_t gets = 0;
  std::uint64_t added = 0;
  QueueTask task = 0;
  while (gets != most && queue.pop(task)) {
    added += task;
    ++gets;
  }
  sum += added;
  return gets;
}

/// Whether a queue takes more than it was made for.
template <typename Queue>
bool grows() {
  Queue queue(2, 1);
  return fill(queue, opaque(std::uint64_t{3}), 1) == 3;
}

/// Whether a queue returns first what was put first.
template <typename Queue>
bool is_fifo() {
  Queue queue(2, 2);
  QueueTask task = 0;
  fill(queue, opaque(std::uint64_t{2}), 1);
  return queue.pop(task) && task == 1;
}

/// A queue's owner and its counts.
template <typename Queue>
class QueueOwner {
 public:
  /// Tasks are numbered from `first_task` on. The queue is used once, so that its memory is present.
  QueueOwner(Queue& queue, const QueueShape& shape, QueueTask first_task)
      : queue_(&queue), capacity_(shape.capacity()), grows_(grows<Queue>()), next_(first_task) {
    round(kNoLimit);
    round(kNoLimit);
    tally = WorkerTally{};
  }

  /// Puts until the queue is full, then gets until it is empty or `most_gets` came out.
  void round(std::uint64_t most_gets) {
    const std::uint64_t puts = fill(*opaque(queue_), opaque(room()), next_);
    // This is the sum of `puts` numbers from next_ on.
    tally.put_sum += puts * next_ + sum_below(puts);
    tally.counts.puts += puts;
    next_ += puts;
    tally.counts.gets += drain(*opaque(queue_), opaque(most_gets), tally.taken_sum);
  }

  /// Takes out the remaining tasks, when the time is over.
  void take_rest() { tally.counts.left += drain(*opaque(queue_), opaque(kNoLimit), tally.taken_sum); }

  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  WorkerTally tally;

 private:
  // Returns the sum of the numbers below `count`, halved before the multiplication.
  static std::uint64_t sum_below(std::uint64_t count) {
    return count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count;
  }

  // Returns how many tasks one fill may put.
  [[nodiscard]] std::uint64_t room() const {
    if (!grows_) return capacity_;
    return capacity_ - std::min<std::uint64_t>(capacity_, queue_->size_hint());
  }

  Queue* queue_;
  const std::uint64_t capacity_;
  const bool grows_;
  QueueTask next_;
};

/// Steals from queues, `batch` tasks at a time, and keeps count.
template <typename Queue>
class QueueThief {
 public:
  explicit QueueThief(std::size_t batch) : memory_(batch + 2 * kPadding) {
    room_ = std::span(memory_).subspan(kPadding, batch);
  }

  /// Steals once and returns how many tasks it got.
  std::uint64_t steal(Queue& queue, WorkerTally& tally) {
    if (room_.size() > 1) return count(queue.steal_some(room_), tally);
    return count(queue.steal(room_.front()), tally);
  }

  /// Steals once, where the queue offers that from the very block that made a policy accept the victim.
  std::uint64_t steal(Queue& queue, const std::optional<std::uint64_t>& sample, WorkerTally& tally) {
    if constexpr (mark::RandomizedStealing<Queue>) {
      if (sample && room_.size() > 1) return count(queue.steal_some_sampled(*sample, room_), tally);
      if (sample) return count(queue.steal_sampled(*sample, room_.front()), tally);
    }
    return steal(queue, tally);
  }

 private:
  std::uint64_t count(mark::StealOutcome outcome, WorkerTally& tally) {
    return count({outcome, outcome == mark::StealOutcome::taken ? std::size_t{1} : 0}, tally);
  }
  std::uint64_t count(mark::BatchSteal stolen, WorkerTally& tally) {
    tally.counts.steals += stolen.count;
    tally.counts.steals_empty += stolen.outcome == mark::StealOutcome::empty ? 1 : 0;
    tally.counts.steals_contended += stolen.outcome == mark::StealOutcome::contended ? 1 : 0;
    for (std::size_t i = 0; i < stolen.count; ++i) tally.taken_sum += room_[i];
    return stolen.count;
  }

  // Padding on both sides keeps other threads' memory off these cache lines.
  static constexpr std::size_t kPadding = 128 / sizeof(QueueTask);

  std::vector<QueueTask> memory_;
  std::span<QueueTask> room_;
};

/// Tells the threads of a measurement that its time is over. It lies on a cache line of its own.
class alignas(128) StopSign {
 public:
  // Relaxed, both: nothing is read on the strength of it; the threads are joined before their tallies are
  // read.
  void raise() { raised_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_up() const { return raised_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> raised_{false};
};

/// Calls `rounds` repeatedly until `time` is over; reads the clock once in some ten thousand operations.
template <typename Round>
void repeat_for(std::chrono::nanoseconds time, std::uint64_t operations_per_round, WorkerTally& tally,
                Round round) {
  constexpr std::uint64_t kOperationsPerLook = 16384;
  const std::uint64_t rounds_per_look = std::max<std::uint64_t>(1, kOperationsPerLook / operations_per_round);
  tally.start = std::chrono::steady_clock::now();
  const auto deadline = tally.start + time;
  do {
    for (std::uint64_t i = 0; i < rounds_per_look; ++i) round();
    tally.end = std::chrono::steady_clock::now();
  } while (tally.end < deadline);
}

/// Calls `round` repeatedly until the sign is up.
template <typename Round>
void run_until(const StopSign& stop, WorkerTally& tally, Round round) {
  tally.start = std::chrono::steady_clock::now();
  while (!stop.is_up()) round();
  tally.end = std::chrono::steady_clock::now();
}

/// Combines the threads' tallies to one measurement.
QueueMeasurement combine(std::span<const WorkerTally* const> tallies);

/// Measures §6.2.1: the owner alone, on the calling thread.
template <typename Queue>
QueueMeasurement measure_alone(const QueueLoad& load) {
  Queue queue(load.shape.blocks, load.shape.block_size);
  QueueOwner<Queue> owner(queue, load.shape, 1);
  repeat_for(load.time, 2 * load.shape.capacity(), owner.tally,
             [&] { owner.round(QueueOwner<Queue>::kNoLimit); });
  owner.take_rest();
  const WorkerTally* const tallies[] = {&owner.tally};
  return combine(tallies);
}

/// The owner's progress for its thief, on a cache line of its own, written once a round.
class alignas(128) OwnerProgress {
 public:
  // Relaxed, all: nothing is read on the strength of it.
  void tell(std::uint64_t tasks) { tasks_.store(tasks, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t told() const { return tasks_.load(std::memory_order_relaxed); }
  /// Whether a thief with `steals` steals has less than `percent` % of the tasks that both have taken, by the
  /// number of gets that the owner has published.
  [[nodiscard]] bool leaves_due(std::uint64_t steals, double percent) const {
    return static_cast<double>(steals) * (100 - percent) < static_cast<double>(told()) * percent;
  }

 private:
  std::atomic<std::uint64_t> tasks_{0};
};

/// Idles for about a microsecond, so that a thief's looks do not disturb the owner.
inline void idle() {
  constexpr int kPauses = 32;
  for (int i = 0; i < kPauses; ++i) base::pause_core();
}

/// Runs a thief that steals while it has less than its share, until the sign is up.
template <typename Queue>
void steal_until(const StopSign& stop, const OwnerProgress& owner, Queue& queue, const QueueLoad& load,
                 WorkerTally& result) {
  QueueThief<Queue> thief(load.steal_batch);
  WorkerTally tally;
  run_until(stop, tally, [&] {
    if (!owner.leaves_due(tally.counts.steals, load.pace.most_percent) || thief.steal(queue, tally) == 0)
      idle();
  });
  result = tally;
}

/// Measures §6.2.2: the owner on the calling thread, one thief on a thread of `threads`, which has at least
/// two.
template <typename Queue>
QueueMeasurement measure_with_thief(mark::ThreadPool& threads, const QueueLoad& load) {
  Queue queue(load.shape.blocks, load.shape.block_size);
  QueueOwner<Queue> owner(queue, load.shape, 1);
  WorkerTally thief;
  StopSign stop;
  OwnerProgress progress;
  std::latch start(2);
  threads.run([&](std::uint32_t worker) {
    if (worker > 1) return;
    start.arrive_and_wait();
    if (worker == 1) return steal_until(stop, progress, queue, load, thief);
    const std::uint64_t gets = std::min(load.pace.gets_per_round, load.shape.capacity());
    repeat_for(load.time, load.shape.capacity() + gets, owner.tally, [&] {
      owner.round(load.pace.gets_per_round);
      progress.tell(owner.tally.counts.gets);
    });
    stop.raise();
  });
  owner.take_rest();
  const WorkerTally* const tallies[] = {&owner.tally, &thief};
  return combine(tallies);
}

/// The data that the workers of a pool share.
template <typename Queue>
struct QueuePool {
  const QueueLoad& load;
  std::vector<std::unique_ptr<Queue>> queues;

  [[nodiscard]] bool looks_stealable(std::uint32_t worker, std::uint64_t sample) const {
    return queues[worker]->looks_stealable(sample);
  }
  [[nodiscard]] std::size_t size_hint(std::uint32_t worker) const { return queues[worker]->size_hint(); }
  [[nodiscard]] bool has_stealable(std::uint32_t worker) const { return queues[worker]->has_stealable(); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(queues.size()); }
  /// Returns how many tasks a worker tries to steal in a round.
  [[nodiscard]] std::uint64_t steals_per_round() const {
    const double tasks = load.balancing_factor / 100 * static_cast<double>(load.shape.capacity());
    return static_cast<std::uint64_t>(std::llround(tasks));
  }
};

/// One worker of a pool: an owner of one queue and a thief of all others.
template <typename Queue>
class PoolWorker {
 public:
  PoolWorker(QueuePool<Queue>& pool, std::uint32_t index)
      : owner(*pool.queues[index], pool.load.shape, (QueueTask{index} << kIndexShift) + 1),
        pool_(pool),
        thief_(pool.load.steal_batch),
        victim_({.self = index, .workers = pool.size(), .seed = pool.load.seed + index}, pool.load.victim) {}

  /// Puts until full, gets until empty, then steals until it has its number of tasks, or has failed as many
  /// times, or time is over.
  void round(const StopSign& stop) {
    owner.round(QueueOwner<Queue>::kNoLimit);
    const std::uint64_t wanted = pool_.steals_per_round();
    std::uint64_t failures = 0;
    victim_.start_search(pool_.size());
    for (std::uint64_t stolen = 0; stolen < wanted && failures < wanted && !stop.is_up();) {
      const std::uint64_t tasks = try_to_steal();
      stolen += tasks;
      if (tasks == 0) ++failures;
    }
  }

  QueueOwner<Queue> owner;

 private:
  // The numbers of different workers' tasks are 2^48 apart.
  static constexpr int kIndexShift = 48;

  // Looks once, and steals once if the policy accepts.
  std::uint64_t try_to_steal() {
    const std::optional<mark::VictimChoice> choice = victim_.choose(pool_);
    if (!choice) return 0;
    const std::uint64_t tasks = thief_.steal(*pool_.queues[choice->worker], choice->sample, owner.tally);
    if (tasks == 0) return 0;
    victim_.stole_from(choice->worker);
    victim_.start_search(pool_.size());
    return tasks;
  }

  QueuePool<Queue>& pool_;
  QueueThief<Queue> thief_;
  AnyVictim victim_;
};

/// Measures §6.2.3: a worker on each of the threads, of which there are at least two. The calling thread's
/// worker keeps the time.
template <typename Queue>
QueueMeasurement measure_pool(mark::ThreadPool& threads, const QueueLoad& load) {
  QueuePool<Queue> pool{load, {}};
  for (std::uint32_t i = 0; i < threads.size(); ++i)
    pool.queues.push_back(std::make_unique<Queue>(load.shape.blocks, load.shape.block_size));
  std::deque<PoolWorker<Queue>> workers;
  for (std::uint32_t i = 0; i < threads.size(); ++i) workers.emplace_back(pool, i);
  StopSign stop;
  std::latch start(threads.size());
  threads.run([&](std::uint32_t index) {
    PoolWorker<Queue>& worker = workers[index];
    start.arrive_and_wait();
    if (index == 0) {
      repeat_for(load.time, 2 * load.shape.capacity(), worker.owner.tally, [&] { worker.round(stop); });
      stop.raise();
    } else {
      run_until(stop, worker.owner.tally, [&] { worker.round(stop); });
    }
  });
  std::vector<const WorkerTally*> tallies;
  for (PoolWorker<Queue>& worker : workers) {
    worker.owner.take_rest();
    tallies.push_back(&worker.owner.tally);
  }
  return combine(tallies);
}

}  // namespace jackdaw::bench
