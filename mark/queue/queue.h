// StealableQueue: the mark loop's interface to a work-stealing queue, with one owner and any number of
// thieves.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace jackdaw::mark {

/// The outcome of a steal.
enum class StealOutcome : std::uint8_t {
  taken,      ///< at least one task was stolen
  empty,      ///< nothing was stealable, though the owner may have tasks
  contended,  ///< another thief or the owner was faster; there may be more
};

/// The outcome of stealing several tasks at once.
struct BatchSteal {
  StealOutcome outcome;
  std::size_t count;  ///< the stolen tasks; at least 1 exactly when the outcome is taken
};

/// A thief samples one of this number of the oldest blocks. So a queue with this many stealable blocks counts
/// as full, however many it has room for.
inline constexpr std::size_t kSampledBlocks = 8;

/// The numbers of blocks that the owner granted to thieves and took over from them. Queues without blocks
/// count none.
struct QueueCounters {
  std::uint64_t grants = 0;
  std::uint64_t takeovers = 0;
};

/// A queue with one owner and any number of thieves. Each queue's header says how it keeps them apart.
///
/// It is made with a number of blocks and of tasks in a block; a queue without blocks makes room for their
/// product. The owner calls push, pop, offers_tasks, grant_early and counters; every other thread may call
/// all else at any time.
///
/// - `push(task)` is false when there is no room, with nothing changed; `pop(task)` when there is no task.
///   A queue is empty exactly when its owner's pop fails; thieves do not see all of its tasks.
/// - `steal(task)` takes one task; `steal_some(room)` takes up to room.size() tasks (at least 1), oldest
///   first: up to a whole block of a queue in blocks, up to half of the tasks of another.
/// - `has_stealable()` says whether a steal that begins now could find something; `size_hint()` is about the
///   number of tasks that thieves could find; `looks_stealable(sample)`, for a uniformly random sample, is
///   true with about the probability that the queue's fill has, for one look (BWoS §3.4). All three may be
///   out of date at once.
/// - `offers_tasks()` says, to the owner, whether something is stealable; `grant_early()` makes further tasks
///   stealable, and is false when there are none.
/// - `memory_bytes()` is the memory beside the queue object; for the owner, or any thread while the queue is
///   not in use.
/// - `kServesThieves` is false for a queue that only its owner may touch and that thieves find empty: it is
///   for one worker.
template <typename Queue>
concept StealableQueue = std::constructible_from<Queue, std::size_t, std::size_t> &&
    requires(Queue& queue, const Queue& unchanged, typename Queue::Task task,
             std::span<typename Queue::Task> room, std::uint64_t sample) {
  { queue.push(task) } -> std::same_as<bool>;
  { queue.pop(task) } -> std::same_as<bool>;
  { queue.steal(task) } -> std::same_as<StealOutcome>;
  { queue.steal_some(room) } -> std::same_as<BatchSteal>;
  { queue.has_stealable() } -> std::same_as<bool>;
  { unchanged.looks_stealable(sample) } -> std::same_as<bool>;
  { unchanged.size_hint() } -> std::same_as<std::size_t>;
  { unchanged.offers_tasks() } -> std::same_as<bool>;
  { queue.grant_early() } -> std::same_as<bool>;
  { unchanged.counters() } -> std::convertible_to<QueueCounters>;
  { unchanged.memory_bytes() } -> std::same_as<std::size_t>;
  { Queue::kServesThieves } -> std::convertible_to<bool>;
};

/// A queue that can be stolen from at the very block that a sample found stealable, without a further search
/// (randomized stealing, BWoS §3.4): `steal_sampled(sample, task)` and `steal_some_sampled(sample, room)`.
template <typename Queue>
concept RandomizedStealing = StealableQueue<Queue> &&
    requires(Queue& queue, typename Queue::Task task, std::span<typename Queue::Task> room,
             std::uint64_t sample) {
  { queue.steal_sampled(sample, task) } -> std::same_as<StealOutcome>;
  { queue.steal_some_sampled(sample, room) } -> std::same_as<BatchSteal>;
};

}  // namespace jackdaw::mark
