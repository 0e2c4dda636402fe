// Queue, overflow list and search for work together, as Worker joins them in its mark loop, and what a round
// relies on of the thread pool. Two workers, of which the second begins with more tasks than its queue has
// room for, leave when a search was in vain: when both have, every task was executed once, and the first
// worker sees what was done, which it reads plainly.
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "mark/mark_loop_constants.h"
#include "mark/marker_options.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/statistics.h"
#include "mark/task_store.h"
#include "mark/work_search.h"
#include "tests/verify/queue_client.h"

namespace {

namespace mark = jackdaw::mark;

using verify::Task;
using Queue = mark::BwosLifo<Task>;
using Store = mark::TaskStore<Task, Queue>;

constexpr std::uint32_t kTasks = 4;

// The thread pool's count of workers: who leaves hands over what it did, as with the pool's lock.
std::atomic<std::uint32_t> at_work{2};

// No worker becomes master (mark/searchers.h only gives hints).
struct NobodyStays {
  static bool begin(std::uint32_t) { return true; }
  static void end() {}
  template <typename SeesWork, typename IsAlone>
  static bool stays(SeesWork, IsAlone) {
    return false;
  }
};

// The other worker, once in all the attempts that a thief makes before it offers.
class TheOther {
 public:
  explicit TheOther(const mark::VictimSetup& setup) : other_(1 - setup.self) {}
  void start_search(std::uint32_t) {}
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
  NobodyStays nobody;
  std::array<Store*, 2> stores{};

  [[nodiscard]] static std::uint32_t worker_count() { return 2; }
  [[nodiscard]] static std::uint32_t called() { return 2; }
  [[nodiscard]] static std::uint32_t at_work() { return 2; }
  NobodyStays& searchers() { return nobody; }
  Queue& queue_of(std::uint32_t worker) { return stores[worker]->queue(); }
  // A worker that has tasks offers them unasked.
  static void request_tasks_of(std::uint32_t) {}
  static void wake() {}
};

struct Worker {
  Team& team;
  Store store;
  mark::WorkSearch<Task, Queue, TheOther, Team> search;

  Worker(Team& team, const mark::MarkerOptions& options, std::uint32_t self)
      : team(team),
        store(options),
        search(
            team, {.self = self}, [](const mark::VictimSetup& setup) { return TheOther(setup); }, 1) {}
};

std::array<std::uint32_t, kTasks> results;

// As Worker::take_part, without the buffers between.
template <std::uint32_t kSelf>
void* work(void* argument) {
  auto& [team, store, search] = *static_cast<Worker*>(argument);
  mark::WorkerStatistics statistics;
  for (std::uint32_t i = 0; kSelf == 1 && i < kTasks; ++i) CHECK(store.push(Task{1} << (4 * i)));
  std::span<const Task> found;
  do {
    for (const Task stolen : found) CHECK(store.push(stolen));
    for (Task task; store.pop(task);) {
      ++results[verify::number_of(task)];
      store.offer_tasks();
    }
    found = {};
    if (search.start()) found = search.try_to_steal(statistics);
    while (found.empty() && search.stays()) found = search.try_to_steal(statistics);
  } while (!found.empty());
  at_work.fetch_sub(1, std::memory_order_acq_rel);
  if (kSelf != 0) return nullptr;
  while (at_work.load(std::memory_order_acquire) != 0) continue;
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
  const verify::Thread other = verify::start(work<1>, &second);
  work<0>(&first);
  verify::join(other);
  return 0;
}
