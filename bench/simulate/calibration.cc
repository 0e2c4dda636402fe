#include "bench/simulate/calibration.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/mark_experiment.h"
#include "bench/queue_runners.h"
#include "mark/choices.h"
#include "mark/prefetch.h"
#include "mark/random_numbers.h"
#include "mark/spin.h"
#include "mark/termination/backoff.h"
#include "mark/thread_pool.h"
#include "mark/topology.h"
#include "mark/victim/any.h"

namespace jackdaw::bench {

namespace {

using Clock = std::chrono::steady_clock;
using mark::ThreadPool;

constexpr std::uint32_t kRounds = 41;

double nanoseconds(Clock::duration time) { return std::chrono::duration<double, std::nano>(time).count(); }

// Whatever else the machine does only ever adds.
double least_of(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

// What `work()` takes on the clock.
template <typename Work>
double time_of(Work work) {
  const auto start = Clock::now();
  work();
  return nanoseconds(Clock::now() - start);
}

// Lines in random order, each of which names the next. On huge pages, as the marks of a heap.
class Lines {
 public:
  explicit Lines(std::uint32_t count) : order_(count), lines_(make_lines(count)) {
    std::iota(order_.begin(), order_.end(), 0);
    mark::RandomNumbers random(1);
    for (std::uint32_t i = count; i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
    for (std::uint32_t i = 0; i < count; ++i) lines_[order_[i]].next = order_[(i + 1) % count];
  }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(order_.size()); }

  // Reads each, as the one before says, and writes it.
  void go_round() {
    std::uint32_t place = 0;
    for (std::uint32_t i = 0; i < size(); ++i) {
      Line& line = lines_[place];
      place = line.next;
      // Relaxed, and no read-modify-write: only to have written it.
      line.visits.store(i, std::memory_order_relaxed);
    }
  }
  // Writes each by a locked operation, in the same order, having asked for it a while before.
  void go_ahead() {
    constexpr std::uint32_t kDistance = 16;  // as many marks wait in a worker's buffer
    for (std::uint32_t i = 0; i < size(); ++i) {
      mark::prefetch_to_write(&lines_[order_[(i + kDistance) % size()]]);
      // Relaxed: nothing hangs on it. As a mark that is shared.
      lines_[order_[i]].visits.fetch_add(1, std::memory_order_relaxed);
    }
  }

 private:
  struct alignas(64) Line {
    std::uint32_t next = 0;
    std::atomic<std::uint32_t> visits{0};
  };

  struct Release {
    void operator()(Line* lines) const { std::free(lines); }
  };

  static std::unique_ptr<Line[], Release> make_lines(std::uint32_t count) {
    constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(Line) + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    auto* const lines = static_cast<Line*>(std::aligned_alloc(kHugePageBytes, bytes));
    if (lines == nullptr) throw std::bad_alloc();
    madvise(lines, bytes, MADV_HUGEPAGE);  // advice only
    std::uninitialized_default_construct_n(lines, count);
    return std::unique_ptr<Line[], Release>(lines);
  }

  std::vector<std::uint32_t> order_;
  std::unique_ptr<Line[], Release> lines_;
};

// What it takes each of two workers to go over lines that the other wrote, for each line.
template <typename Go>
double measure_travelling(ThreadPool& two, Go go) {
  Lines lines(2048);
  std::vector<double> times;
  std::atomic<std::uint32_t> turn{0};
  two.run([&](std::uint32_t worker) {
    for (std::uint32_t round = worker; round < kRounds; round += 2) {
      // Sequentially consistent by default: nothing here is hot. Whoever has the turn may need this
      // processor.
      while (turn != round) std::this_thread::yield();
      const double time = time_of([&] { go(lines); });
      // The first round fetches from memory.
      if (round != 0) times.push_back(time / lines.size());
      turn = round + 1;
    }
  });
  return least_of(times);
}

double measure_locked() {
  constexpr std::uint32_t kOperations = 20'000;
  std::array<std::atomic<std::uint64_t>, 64> words{};
  std::vector<double> times;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    times.push_back(time_of([&] {
      // Relaxed: nothing hangs on it.
      for (std::uint32_t i = 0; i < kOperations; ++i)
        words[i % words.size()].fetch_or(i, std::memory_order_relaxed);
    }));
  }
  return least_of(times) / kOperations;
}

// Queues that have nothing.
struct EmptyQueues {
  using Queue = mark::BwosLifo<std::uint64_t>;
  std::vector<std::unique_ptr<Queue>> queues;

  [[nodiscard]] bool looks_stealable(std::uint32_t worker, std::uint64_t sample) const {
    return queues[worker]->looks_stealable(sample);
  }
  [[nodiscard]] std::size_t size_hint(std::uint32_t worker) const { return queues[worker]->size_hint(); }
  [[nodiscard]] bool has_stealable(std::uint32_t worker) const { return queues[worker]->has_stealable(); }
};

double measure_look() {
  constexpr std::uint32_t kWorkers = 16;
  constexpr std::uint32_t kLooks = 5000;
  EmptyQueues others;
  for (std::uint32_t i = 0; i < kWorkers; ++i)
    others.queues.push_back(std::make_unique<EmptyQueues::Queue>(8, 16));
  mark::AnyVictim policy({0, kWorkers, 1, {}, {}});
  std::vector<double> times;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    times.push_back(time_of([&] {
      for (std::uint32_t i = 0; i < kLooks; ++i) {
        const bool accepted = policy.choose(others).has_value();
        asm volatile("" : : "r"(accepted));
      }
    }));
  }
  return least_of(times) / kLooks;
}

void measure_waking(ThreadPool& two, MachineCosts& costs) {
  std::vector<double> calls;
  std::vector<double> wakes;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    // The helper falls asleep.
    const auto asleep = Clock::now() + std::chrono::microseconds(200);
    while (Clock::now() < asleep) mark::pause_core();
    Clock::time_point called;
    Clock::time_point woken;
    const auto start = Clock::now();
    two.run([&](std::uint32_t worker) { (worker == 0 ? called : woken) = Clock::now(); });
    calls.push_back(nanoseconds(called - start));
    wakes.push_back(std::max(0.0, nanoseconds(woken - called)));
  }
  costs.wake_call = median_of(std::move(calls));
  costs.wake = median_of(std::move(wakes));
}

void measure_waiting(MachineCosts& costs) {
  std::vector<double> times;
  std::uint32_t waits = 0;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    mark::Backoff backoff;
    times.push_back(time_of([&] {
      for (waits = 0; backoff.wait(); ++waits) continue;
    }));
  }
  costs.waits = waits;
  costs.wait = least_of(times) / waits;
}

// Steals one by one until all that was granted is gone. Returns the attempts.
template <typename Queue>
std::uint64_t steal_all(Queue& queue) {
  std::uint64_t attempts = 0;
  typename Queue::Task task{};
  while (queue.steal(task) != mark::StealOutcome::empty) ++attempts;
  return attempts;
}

// What an attempt to steal takes each of so many thieves.
template <typename Queue>
double measure_steals(ThreadPool& thieves) {
  const QueueShape shape;
  std::vector<double> times;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    Queue queue(shape.blocks, shape.block_size);
    for (std::uint64_t i = 0; i + 1 < shape.capacity(); ++i) queue.push(i);
    std::atomic<std::uint32_t> arrived{0};
    std::vector<double> time_of_thief(thieves.size());
    thieves.run([&](std::uint32_t worker) {
      ++arrived;
      while (arrived != thieves.size()) std::this_thread::yield();
      std::uint64_t attempts = 0;
      const double time = time_of([&] { attempts = steal_all(queue); });
      time_of_thief[worker] = attempts == 0 ? 0 : time / static_cast<double>(attempts);
    });
    times.push_back(*std::max_element(time_of_thief.begin(), time_of_thief.end()));
  }
  return least_of(times);
}

std::uint32_t usable_processors() { return mark::Topology::machine().processor_count(); }

template <typename First, typename... Rest>
void measure_steals_of(std::type_identity<std::tuple<First, Rest...>>, std::string_view queue,
                       QueueCosts& costs) {
  using Queue = typename First::template Queue<std::uint64_t>;
  if constexpr (Queue::kServesThieves) {
    if (queue == First::kName) {
      ThreadPool one(1);
      costs.steal = measure_steals<Queue>(one);
      if (usable_processors() > 1) {
        ThreadPool two(2);
        costs.contended_steal = measure_steals<Queue>(two);
      }
      return;
    }
  }
  if constexpr (sizeof...(Rest) > 0)
    measure_steals_of(std::type_identity<std::tuple<Rest...>>(), queue, costs);
}

}  // namespace

MachineCosts measure_machine_costs() {
  MachineCosts costs;
  costs.locked = measure_locked();
  costs.look = measure_look();
  measure_waiting(costs);
  if (usable_processors() < 2) return costs;
  ThreadPool two(2);
  measure_waking(two, costs);
  costs.line = measure_travelling(two, [](Lines& lines) { lines.go_round(); });
  const double locked_ahead = measure_travelling(two, [](Lines& lines) { lines.go_ahead(); });
  costs.line_ahead = std::max(0.0, locked_ahead - costs.locked);
  return costs;
}

double measure_own_lines(std::uint32_t count) {
  Lines lines(std::max(1U, count));
  std::vector<double> times;
  for (std::uint32_t round = 0; round < kRounds; ++round)
    times.push_back(time_of([&] { lines.go_round(); }) / lines.size());
  return least_of(times);
}

QueueCosts measure_queue_costs(std::string_view queue) {
  QueueCosts costs;
  QueueLoad load;
  load.time = std::chrono::milliseconds(10);
  std::vector<double> times;
  for (std::uint32_t round = 0; round < 3; ++round)
    times.push_back(2 * find_queue_runner(queue)->measure_alone(load).ns_per_op());
  costs.push_pop = least_of(times);
  measure_steals_of(std::type_identity<mark::QueueChoices>(), queue, costs);
  return costs;
}

}  // namespace jackdaw::bench
