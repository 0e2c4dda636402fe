// Queue, overflow list, search for work and terminator together, as Worker joins them in its mark loop. Two
// workers, of which the second begins with more tasks than its queue has room for: every task is executed
// once, and a worker that is told that the round is over sees what was done, which it reads plainly.
//
// Workers sleep after one look: a look at a queue may move its bottom, so looking on and on would be no wait
// to the model checker.
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "mark/mark_loop_constants.h"
#include "mark/marker_options.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/statistics.h"
#include "mark/task_store.h"
#include "mark/termination/counter.h"
#include "mark/work_search.h"
#include "tests/verify/queue_client.h"
#include "tests/verify/termination/workers.h"

namespace {

namespace mark = jackdaw::mark;

using verify::Task;
using Queue = mark::BwosLifo<Task>;
using Store = mark::TaskStore<Task, Queue>;
using Detector = mark::BasicCounterTerminator<verify::Parking, verify::SleepAtOnce>;

constexpr std::uint32_t kTasks = 3;

// The other worker, once in all the attempts that a thief makes before it offers.
class TheOther {
 public:
  explicit TheOther(const mark::VictimSetup& setup) : other_(1 - setup.self) {}
  void start_search() {}
  template <typename Queues>
  std::optional<mark::VictimChoice> choose(const Queues&) {
    if (choices_++ % (2 * mark::kChoicesPerWorker) != 0) return std::nullopt;
    return mark::VictimChoice{other_};
  }
  void stole_from(std::uint32_t) { choices_ = 0; }

 private:
  const std::uint32_t other_;
  std::uint32_t choices_ = 0;
};

struct Team {
  Detector detector{{}};
  std::array<Store*, 2> stores{};

  [[nodiscard]] static std::uint32_t worker_count() { return 2; }
  Detector& terminator() { return detector; }
  Queue& queue_of(std::uint32_t worker) { return stores[worker]->queue(); }
  void wake() { detector.wake(); }
};

struct Worker {
  Team& team;
  Store store;
  mark::WorkSearch<Task, Queue, TheOther, Team> search;

  Worker(Team& team, const mark::MarkerOptions& options, std::uint32_t self)
      : team(team), store(options), search(team, {.self = self}, 1) {}
};

std::array<std::uint32_t, kTasks> results;

// As Worker::run_round, without the buffers between.
template <std::uint32_t kSelf>
void* work(void* argument) {
  auto& [team, store, search] = *static_cast<Worker*>(argument);
  mark::WorkerStatistics statistics;
  for (std::uint32_t i = 0; kSelf == 1 && i < kTasks; ++i) CHECK(store.push(Task{1} << (4 * i)));
  for (;;) {
    Task task;
    while (store.pop(task)) {
      ++results[verify::number_of(task)];
      if (team.terminator().idle() && store.offer_tasks()) team.wake();
    }
    search.start();
    std::span<const Task> found = search.try_to_steal(statistics);
    while (found.empty()) {
      if (team.terminator().offer(kSelf, [&] { return search.work_in_sight(); })) break;
      found = search.try_to_steal(statistics);
    }
    if (found.empty()) break;
    for (const Task stolen : found) CHECK(store.push(stolen));
  }
  for (const std::uint32_t result : results) CHECK(result == 1);
  return nullptr;
}

}  // namespace

int main() {
  mark::MarkerOptions options;
  options.tuning.blocks = 2;
  options.tuning.block_size = 1;
  Team team;
  Worker first(team, options, 0);
  Worker second(team, options, 1);
  team.stores = {&first.store, &second.store};
  team.detector.start_round(2, 2);
  const verify::Thread other = verify::start(work<1>, &second);
  work<0>(&first);
  verify::join(other);
  return 0;
}
