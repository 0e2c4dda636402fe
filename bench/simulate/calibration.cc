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
#include <optional>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/prefetch.h"
#include "base/spin.h"
#include "bench/queue/queue_runners.h"
#include "bench/queues/choices.h"
#include "bench/victims/any.h"
#include "machine/usable_processors.h"
#include "mark/backoff.h"
#include "mark/random_numbers.h"
#include "mark/thread_pool.h"
#include "tools/command/median.h"

namespace jackdaw::bench {

namespace {

using Clock = std::chrono::steady_clock;
using mark::ThreadPool;

constexpr std::uint32_t kRounds = 41;

double nanoseconds(Clock::duration time) { return std::chrono::duration<double, std::nano>(time).count(); }

// Interference by the machine only adds time.
double least_of(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

// Returns the time that `work()` takes.
template <typename Work>
double time_of(Work work) {
  const auto start = Clock::now();
  work();
  return nanoseconds(Clock::now() - start);
}

// Lines in random order, each of which names the next, on huge pages, as a heap's marks.
class Lines {
 public:
  explicit Lines(std::uint32_t count)
      : orders_{random_order(count, 1), random_order(count, 2)}, lines_(make_lines(count)) {
    const Order& order = orders_.front();
    for (std::uint32_t i = 0; i < count; ++i) lines_[order[i]].next = order[(i + 1) % count];
  }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(orders_.front().size()); }

  // Reads each line, in the order that they name, and writes it.
  void go_round() {
    std::uint32_t place = 0;
    for (std::uint32_t i = 0; i < size(); ++i) {
      Line& line = lines_[place];
      place = line.next;
      // Relaxed, and no read-modify-write: only to have written it.
      line.visits.store(i, std::memory_order_relaxed);
    }
  }
  // Reads each line in an order known beforehand, like marks that are already set. Each of two workers has
  // its own order.
  void read_all(std::uint32_t worker) {
    for (const std::uint32_t place : orders_[worker]) look_at(lines_[place]);
  }
  // Reads each line and changes it by a locked operation, like marks that are set.
  void mark_all(std::uint32_t worker) {
    for (const std::uint32_t place : orders_[worker]) mark(lines_[place]);
  }
  // These two go over lines that they prefetched for writing a while before.
  void read_all_ahead(std::uint32_t worker) { go_ahead(orders_[worker], look_at); }
  void mark_all_ahead(std::uint32_t worker) { go_ahead(orders_[worker], mark); }

 private:
  using Order = std::vector<std::uint32_t>;

  // Lines are two apart, as a processor fetches the neighbour of a line along with it, at no cost.
  struct alignas(2 * base::kCacheLineBytes) Line {
    std::uint32_t next = 0;
    std::atomic<std::uint32_t> visits{0};
  };

  struct Release {
    void operator()(Line* lines) const { std::free(lines); }
  };

  static void look_at(const Line& line) {
    // Relaxed, here and below: nothing hangs on it. The compiler must not leave it out.
    const std::uint32_t seen = line.visits.load(std::memory_order_relaxed);
    asm volatile("" : : "r"(seen));
  }
  static void mark(Line& line) {
    look_at(line);
    line.visits.fetch_add(1, std::memory_order_relaxed);
  }
  template <typename Use>
  void go_ahead(const Order& order, Use use) {
    constexpr std::uint32_t kDistance = 16;  // this many marks wait in a worker's buffer
    for (std::uint32_t i = 0; i < size(); ++i) {
      base::prefetch_to_write(&lines_[order[(i + kDistance) % size()]]);
      use(lines_[order[i]]);
    }
  }

  static Order random_order(std::uint32_t count, std::uint64_t seed) {
    Order order(count);
    std::iota(order.begin(), order.end(), 0);
    mark::RandomNumbers random(seed);
    for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    return order;
  }

  static std::unique_ptr<Line[], Release> make_lines(std::uint32_t count) {
    constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(Line) + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    auto* const lines = static_cast<Line*>(std::aligned_alloc(kHugePageBytes, bytes));
    if (lines == nullptr) throw std::bad_alloc();
    madvise(lines, bytes, MADV_HUGEPAGE);  // advice only
    std::uninitialized_default_construct_n(lines, count);
    return std::unique_ptr<Line[], Release>(lines);
  }

  std::array<Order, 2> orders_;
  std::unique_ptr<Line[], Release> lines_;
};

constexpr std::uint32_t kTravellingLines = 2048;

// Returns the time for each line to go over lines that the other of two workers wrote before, in turn. Calls
// `go(lines, worker)`.
template <typename Go>
double measure_in_turn(ThreadPool& two, Go go) {
  Lines lines(kTravellingLines);
  std::vector<double> times;
  std::atomic<std::uint32_t> turn{0};
  two.run([&](std::uint32_t worker) {
    for (std::uint32_t round = worker; round < kRounds; round += 2) {
      // Sequentially consistent by default: nothing here is hot. The thread that has the turn may need this
      // processor.
      while (turn != round) std::this_thread::yield();
      const double time = time_of([&] { go(lines, worker); });
      // The first round fetches lines from memory.
      if (round != 0) times.push_back(time / lines.size());
      lines.go_round();
      turn = round + 1;
    }
  });
  return least_of(times);
}

// Measures `go` as measure_in_turn() does, for lines that no other worker has.
template <typename Go>
double measure_own(Go go) {
  Lines lines(kTravellingLines);
  std::vector<double> times;
  for (std::uint32_t round = 0; round < kRounds; ++round)
    times.push_back(time_of([&] { go(lines, 0); }) / lines.size());
  return least_of(times);
}

struct Span {
  Clock::time_point begin;
  Clock::time_point end;
  [[nodiscard]] double length() const { return nanoseconds(end - begin); }
};

bool are_at_once(const Span& a, const Span& b) {
  constexpr double kAtOnce = 0.8;
  const double both = nanoseconds(std::min(a.end, b.end) - std::max(a.begin, b.begin));
  return both > kAtOnce * std::max(a.length(), b.length());
}

// Returns the time for each line to go over lines for two workers at once, each in its own order, so that
// each takes every line away from the other. A round in which they did not overlap does not count; nothing if
// none did.
template <typename Go>
std::optional<double> measure_at_once(ThreadPool& two, Go go) {
  constexpr std::uint32_t kPasses = 8;
  Lines lines(kTravellingLines);
  std::vector<double> times;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    std::array<Span, 2> spans;
    std::atomic<std::uint32_t> arrived{0};
    two.run([&](std::uint32_t worker) {
      ++arrived;
      while (arrived != 2) std::this_thread::yield();
      spans[worker].begin = Clock::now();
      for (std::uint32_t pass = 0; pass < kPasses; ++pass) go(lines, worker);
      spans[worker].end = Clock::now();
    });
    if (are_at_once(spans[0], spans[1]))
      times.push_back((spans[0].length() + spans[1].length()) / 2 / kPasses / lines.size());
  }
  if (times.empty()) return std::nullopt;
  return least_of(times);
}

void measure_lines(ThreadPool& two, MachineCosts& costs) {
  const auto more = [](double whole, double own) { return std::max(0.0, whole - own); };
  const auto read_all = [](Lines& lines, std::uint32_t worker) { lines.read_all(worker); };
  costs.line = measure_in_turn(two, [](Lines& lines, std::uint32_t) { lines.go_round(); });
  costs.line_read = more(measure_in_turn(two, read_all), measure_own(read_all));
  const auto measure_writing = [&](double& cost, auto go) {
    if (const std::optional<double> whole = measure_at_once(two, go)) cost = more(*whole, measure_own(go));
  };
  measure_writing(costs.line_mark, [](Lines& lines, std::uint32_t worker) { lines.mark_all(worker); });
  measure_writing(costs.ahead_read, [](Lines& lines, std::uint32_t worker) { lines.read_all_ahead(worker); });
  measure_writing(costs.ahead_mark, [](Lines& lines, std::uint32_t worker) { lines.mark_all_ahead(worker); });
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

// Stands for queues without tasks.
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
  AnyVictim policy({0, kWorkers, 1});
  policy.start_search(kWorkers);
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
    // The helper falls asleep meanwhile.
    const auto asleep = Clock::now() + std::chrono::microseconds(200);
    while (Clock::now() < asleep) base::pause_core();
    Clock::time_point called;
    Clock::time_point woken;
    const auto start = Clock::now();
    two.run([&](std::uint32_t worker) { (worker == 0 ? called : woken) = Clock::now(); });
    calls.push_back(nanoseconds(called - start));
    wakes.push_back(std::max(0.0, nanoseconds(woken - called)));
  }
  costs.wake_call = tools::median_of(std::move(calls));
  costs.wake = tools::median_of(std::move(wakes));
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

// Steals one by one until all granted tasks are gone. Returns the attempts.
template <typename Queue>
std::uint64_t steal_all(Queue& queue) {
  std::uint64_t attempts = 0;
  typename Queue::Task task{};
  while (queue.steal(task) != mark::StealOutcome::empty) ++attempts;
  return attempts;
}

// Returns the time of an attempt to steal, by a thief alone or by each of two at once. A round in which they
// did not overlap does not count; nothing if none did.
template <typename Queue>
std::optional<double> measure_steals(ThreadPool& thieves) {
  const QueueShape shape;
  std::vector<double> times;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    Queue queue(shape.blocks, shape.block_size);
    for (std::uint64_t i = 0; i + 1 < shape.capacity(); ++i) queue.push(i);
    std::atomic<std::uint32_t> arrived{0};
    std::vector<Span> spans(thieves.size());
    std::vector<std::uint64_t> attempts(thieves.size());
    thieves.run([&](std::uint32_t worker) {
      ++arrived;
      while (arrived != thieves.size()) std::this_thread::yield();
      spans[worker].begin = Clock::now();
      attempts[worker] = steal_all(queue);
      spans[worker].end = Clock::now();
    });
    if (!are_at_once(spans.front(), spans.back())) continue;
    double time = 0;
    for (std::uint32_t i = 0; i < thieves.size(); ++i)
      time = std::max(time, spans[i].length() / static_cast<double>(std::max<std::uint64_t>(1, attempts[i])));
    times.push_back(time);
  }
  if (times.empty()) return std::nullopt;
  return least_of(times);
}

template <typename First, typename... Rest>
void measure_steals_of(std::type_identity<std::tuple<First, Rest...>>, std::string_view queue,
                       QueueCosts& costs) {
  using Queue = typename First::template Queue<std::uint64_t>;
  if constexpr (Queue::kServesThieves) {
    if (queue == First::kName) {
      ThreadPool one(1);
      costs.steal = measure_steals<Queue>(one).value_or(costs.steal);
      if (machine::usable_processors() > 1) {
        ThreadPool two(2);
        costs.contended_steal = measure_steals<Queue>(two).value_or(costs.contended_steal);
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
  if (machine::usable_processors() < 2) return costs;
  ThreadPool two(2);
  measure_waking(two, costs);
  measure_lines(two, costs);
  return costs;
}

QueueCosts measure_queue_costs(std::string_view queue) {
  QueueCosts costs;
  QueueLoad load;
  load.time = std::chrono::milliseconds(3);
  std::vector<double> times;
  for (std::uint32_t round = 0; round < 10; ++round)
    times.push_back(2 * find_queue_runner(queue)->measure_alone(load).ns_per_op());
  costs.push_pop = least_of(times);
  measure_steals_of(std::type_identity<QueueChoices>(), queue, costs);
  return costs;
}

}  // namespace jackdaw::bench
