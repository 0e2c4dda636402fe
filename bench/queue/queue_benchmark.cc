// Google Benchmark of the queues: the owner's cost of a push and a pop, without and with a thief, beside a
// plain array, which no queue can beat. `jackdaw queue` measures more, and more precisely.
//
// Source of the workload: Wang et al., "BWoS", OSDI 2023, §6.2.1 and §6.2.2: fill the queue, then empty it.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/spin.h"
#include "bench/queues/choices.h"

namespace {

using Task = std::uint64_t;

constexpr std::size_t kBlocks = 8;
constexpr std::size_t kBlockSize = 1024;
// The tasks fit in all blocks but one, so that no push fails while a thief holds one.
constexpr std::size_t kTasks = (kBlocks - 1) * kBlockSize;

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

template <typename Queue>
void fill_and_empty(Queue& queue) {
  for (Task i = 0; i < kTasks; ++i) {
    bool pushed = queue.push(i);
    benchmark::DoNotOptimize(pushed);
  }
  Task task = 0;
  while (queue.pop(task)) benchmark::DoNotOptimize(task);
}

template <typename Queue>
void alone(benchmark::State& state) {
  Queue queue(kBlocks, kBlockSize);
  for (auto _ : state) fill_and_empty(queue);
  count_operations(state);
}

// One thief steals and then idles for the given number of pauses.
template <typename Queue>
void with_a_thief(benchmark::State& state) {
  Queue queue(kBlocks, kBlockSize);
  std::atomic<bool> stop{false};
  std::uint64_t stolen = 0;
  std::thread thief([&] {
    Task task = 0;
    // Relaxed: the flag orders nothing.
    while (!stop.load(std::memory_order_relaxed)) {
      if (queue.steal(task) == jackdaw::mark::StealOutcome::taken) ++stolen;
      for (std::int64_t i = 0; i < state.range(0); ++i) jackdaw::base::pause_core();
    }
  });
  for (auto _ : state) fill_and_empty(queue);
  stop.store(true, std::memory_order_relaxed);
  thief.join();
  count_operations(state);
  state.counters["stolen %"] = 100.0 * static_cast<double>(stolen) /
                               (static_cast<double>(state.iterations()) * static_cast<double>(kTasks));
}

template <typename Choice>
void add_queue() {
  using Queue = typename Choice::template Queue<Task>;
  const std::string name(Choice::kName);
  benchmark::RegisterBenchmark(name.c_str(), alone<Queue>);
  if constexpr (Queue::kServesThieves) {
    benchmark::RegisterBenchmark((name + "/with a thief").c_str(), with_a_thief<Queue>)
        ->ArgName("pauses")
        ->Arg(0)
        ->Arg(4)
        ->Arg(16)
        ->Arg(64)
        ->UseRealTime();
  }
}

template <typename... Choices>
void add_queues(std::type_identity<std::tuple<Choices...>>) {
  (add_queue<Choices>(), ...);
}

}  // namespace

int main(int argc, char** argv) {
  add_queues(std::type_identity<jackdaw::bench::QueueChoices>{});
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
