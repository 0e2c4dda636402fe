// Google Benchmark of the queues: what a push and a pop cost the owner, without and with a thief, beside a
// plain array, the bound that no queue can pass.
//
// Source of the workload: Wang et al., "BWoS", OSDI 2023, §6.2.1 and §6.2.2: fill the queue, then empty it.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "mark/queue/bwos_lifo.h"
#include "mark/spin.h"

namespace {

using Task = std::uint64_t;
using Queue = jackdaw::mark::BwosLifo<Task>;

// As many tasks as fit in seven of eight blocks of 1024, so that no push fails while a thief holds one.
constexpr std::size_t kTasks = std::size_t{7} * 1024;

void count_operations(benchmark::State& state) {
  const auto operations = static_cast<double>(state.iterations()) * 2 * static_cast<double>(kTasks);
  state.counters["time/op"] =
      benchmark::Counter(operations, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void plain_array(benchmark::State& state) {
  std::vector<Task> entries(kTasks);
  for (auto _ : state) {
    Task* top = entries.data();
    for (Task i = 0; i < kTasks; ++i) {
      *top++ = i;
      benchmark::DoNotOptimize(top);
    }
    for (std::size_t i = 0; i < kTasks; ++i) {
      Task task = *--top;
      benchmark::DoNotOptimize(task);
      benchmark::DoNotOptimize(top);
    }
  }
  count_operations(state);
}
BENCHMARK(plain_array);

void fill_and_empty(Queue& queue) {
  for (Task i = 0; i < kTasks; ++i) {
    bool pushed = queue.push(i);
    benchmark::DoNotOptimize(pushed);
  }
  Task task = 0;
  while (queue.pop(task)) benchmark::DoNotOptimize(task);
}

void bwos_lifo(benchmark::State& state) {
  Queue queue;
  for (auto _ : state) fill_and_empty(queue);
  count_operations(state);
}
BENCHMARK(bwos_lifo);

// One thief that steals and then idles for as many pauses as the argument says.
void bwos_lifo_with_a_thief(benchmark::State& state) {
  Queue queue;
  std::atomic<bool> stop{false};
  std::uint64_t stolen = 0;
  std::thread thief([&] {
    Task task = 0;
    // Relaxed: the flag orders nothing.
    while (!stop.load(std::memory_order_relaxed)) {
      if (queue.steal(task) == jackdaw::mark::StealOutcome::taken) ++stolen;
      for (std::int64_t i = 0; i < state.range(0); ++i) jackdaw::mark::pause_core();
    }
  });
  for (auto _ : state) fill_and_empty(queue);
  stop.store(true, std::memory_order_relaxed);
  thief.join();
  count_operations(state);
  state.counters["stolen %"] = 100.0 * static_cast<double>(stolen) /
                               (static_cast<double>(state.iterations()) * static_cast<double>(kTasks));
}
BENCHMARK(bwos_lifo_with_a_thief)->ArgName("pauses")->Arg(0)->Arg(4)->Arg(16)->Arg(64)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
