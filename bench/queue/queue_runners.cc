#include "bench/queue/queue_runners.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "bench/queue/queue_workload.h"
#include "bench/queue/read_array.h"
#include "bench/queues/choices.h"
#include "bench/queues/tbb_queue.h"
#include "bench/queues/xenium_deque.h"

namespace jackdaw::bench {

namespace {

using PeerChoices =
    std::tuple<QueueChoice<"xenium-chase-lev", XeniumDeque>, QueueChoice<"tbb-queue", TbbQueue>>;
using MeasuredChoices = decltype(std::tuple_cat(std::declval<QueueChoices>(), std::declval<PeerChoices>()));

template <typename Queue>
bool fits(const QueueShape& shape) {
  try {
    const Queue queue(shape.blocks, shape.block_size);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

template <typename Choice>
QueueRunner runner_of() {
  using Queue = typename Choice::template Queue<QueueTask>;
  QueueRunner runner{Choice::kName, Queue::kServesThieves, is_fifo<Queue>(),
                     &fits<Queue>,  &measure_alone<Queue>, nullptr,
                     nullptr};
  if constexpr (Queue::kServesThieves) {
    runner.measure_with_thief = &measure_with_thief<Queue>;
    runner.measure_pool = &measure_pool<Queue>;
  }
  return runner;
}

template <typename... Choices>
std::array<QueueRunner, sizeof...(Choices)> runners_of(std::tuple<Choices...>*) {
  return {runner_of<Choices>()...};
}

}  // namespace

QueueMeasurement combine(std::span<const WorkerTally* const> tallies) {
  QueueMeasurement measurement;
  std::uint64_t put_sum = 0;
  std::uint64_t taken_sum = 0;
  auto start = tallies.front()->start;
  auto end = tallies.front()->end;
  for (const WorkerTally* const tally : tallies) {
    measurement.counts += tally->counts;
    put_sum += tally->put_sum;
    taken_sum += tally->taken_sum;
    start = std::min(start, tally->start);
    end = std::max(end, tally->end);
  }
  const QueueCounts& counts = measurement.counts;
  measurement.wall = end - start;
  measurement.threads = static_cast<std::uint32_t>(tallies.size());
  measurement.conserved = put_sum == taken_sum && counts.puts == counts.gets + counts.steals + counts.left;
  return measurement;
}

std::span<const QueueRunner> queue_runners() {
  static const auto kRunners = runners_of(static_cast<MeasuredChoices*>(nullptr));
  return kRunners;
}

const QueueRunner& bound_with_thief() {
  static constexpr QueueRunner kBound{
      "read-array",        true,   false, [](const QueueShape&) { return true; }, nullptr,
      &measure_read_array, nullptr};
  return kBound;
}

const QueueRunner* find_queue_runner(std::string_view name) {
  const auto found = std::ranges::find(queue_runners(), name, &QueueRunner::name);
  return found == queue_runners().end() ? nullptr : &*found;
}

const QueueRunner& sequential_bound(bool is_fifo) {
  const auto found = std::ranges::find_if(queue_runners(), [&](const QueueRunner& runner) {
    return !runner.serves_thieves && runner.is_fifo == is_fifo;
  });
  if (found == queue_runners().end()) throw std::logic_error("no sequential queue of that order");
  return *found;
}

}  // namespace jackdaw::bench
