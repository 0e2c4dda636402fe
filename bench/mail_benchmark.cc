// Google Benchmark of the mail between memory nodes (mark/mail/): what a task takes from the worker that
// gathers it to the one that fetches it, on one core and from core to core.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "mark/mail/post_office.h"
#include "mark/mail/worker_mail.h"

namespace {

using Task = std::uint64_t;

// A worker on each of two nodes.
struct TwoNodes {
  TwoNodes() {
    office.open(0);
    office.open(1);
  }

  // Of the sender. Gathers a block; every task is another, so that nothing can be foreseen.
  void gather_block() {
    while (!sender.is_full(1)) sender.gather(++gathered, 1);
  }

  jackdaw::mark::PostOffice<Task> office{std::vector<std::uint32_t>{0, 1}};
  jackdaw::mark::WorkerMail<Task> sender{&office, 0};
  jackdaw::mark::WorkerMail<Task> receiver{&office, 1};
  Task gathered = 0;
};

Task sum_of(std::span<const Task> tasks) {
  Task sum = 0;
  for (const Task task : tasks) sum += task;
  return sum;
}

void count_tasks(benchmark::State& state, Task tasks) {
  state.counters["time/task"] = benchmark::Counter(static_cast<double>(tasks),
                                                   benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void mail_on_one_core(benchmark::State& state) {
  TwoNodes nodes;
  for (auto _ : state) {
    nodes.gather_block();
    nodes.sender.post(1);
    Task sum = sum_of(nodes.receiver.fetch());
    benchmark::DoNotOptimize(sum);
  }
  count_tasks(state, nodes.gathered);
}
BENCHMARK(mail_on_one_core);

void mail_from_core_to_core(benchmark::State& state) {
  TwoNodes nodes;
  std::atomic<bool> stop{false};
  std::thread receiver([&] {
    // Relaxed: the flag orders nothing.
    while (!stop.load(std::memory_order_relaxed)) {
      Task sum = sum_of(nodes.receiver.fetch());
      benchmark::DoNotOptimize(sum);
    }
  });
  for (auto _ : state) {
    nodes.gather_block();
    while (!nodes.sender.post(1)) std::this_thread::yield();
  }
  stop.store(true, std::memory_order_relaxed);
  receiver.join();
  count_tasks(state, nodes.gathered);
}
BENCHMARK(mail_from_core_to_core)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
