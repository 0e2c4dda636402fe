// StealableQueue: what the mark loop asks of a work-stealing queue. One owner, any number of thieves.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace jackdaw::mark {

/// The outcome of a steal.
enum class StealOutcome : std::uint8_t {
  taken,      ///< at least one task was got
  empty,      ///< nothing was stealable; says nothing of what only the owner can reach
  contended,  ///< another thief or the owner was faster; there may be more
};

/// The outcome of stealing several tasks at once.
struct BatchSteal {
  StealOutcome outcome;
  std::size_t count;  ///< tasks got; at least 1 exactly when the outcome is taken
};

/// A thief that samples a queue picks one of this number of blocks, the oldest: a queue with as many to steal
/// or more counts as full, however many blocks it has room for.
inline constexpr std::size_t kSampledBlocks = 8;

/// How many blocks the owner granted to thieves and took over from them. Queues without blocks count nothing.
struct QueueCounters {
  std::uint64_t grants = 0;
  std::uint64_t takeovers = 0;
};

/// A queue with one owner and any number of thieves. Each model's header says how it keeps them apart.
///
/// It is made with a number of blocks and of tasks a block; a queue without blocks makes room for their
/// product. The owner calls push, pop, offers_tasks, grant_early and counters; every other thread may call
/// all else at any time.
///
/// - `push(task)` is false when there is no room, with nothing changed; `pop(task)` when there is no task.
///   A queue is empty exactly when its owner's pop fails: what a thief sees says nothing of tasks that are
///   not stealable yet.
/// - `steal(task)` takes one task; `steal_some(room)` takes up to room.size() tasks (at least 1), oldest
///   first: a whole block of a queue in blocks, half of what there is of another.
/// - `has_stealable()` says whether a steal begun now could find something; `size_hint()` about how many
/// tasks
///   thieves could find; `looks_stealable(sample)`, for a uniformly random sample, is true with about the
///   probability that the queue's fill has and costs one look (BWoS §3.4). All three may be out of date at
///   once.
/// - `offers_tasks()` is the owner's own glance at whether thieves have something left; `grant_early()` makes
///   tasks stealable that are not yet, and is false when there are none to give.
/// - `memory_bytes()` is what the queue holds beside itself; the owner asks, or anybody while nobody uses it.
/// - `kServesThieves` is false for a queue that only its owner may touch, with which thieves get nothing: for
///   one worker alone.
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

/// A queue from which the very block that a sample found stealable can be stolen from, so that a thief need
/// not look further (randomized stealing, BWoS §3.4): `steal_sampled(sample, task)` and
/// `steal_some_sampled(sample, room)`.
template <typename Queue>
concept RandomizedStealing = StealableQueue<Queue> &&
    requires(Queue& queue, typename Queue::Task task, std::span<typename Queue::Task> room,
             std::uint64_t sample) {
  { queue.steal_sampled(sample, task) } -> std::same_as<StealOutcome>;
  { queue.steal_some_sampled(sample, room) } -> std::same_as<BatchSteal>;
};

}  // namespace jackdaw::mark
