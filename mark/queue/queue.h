// StealableQueue: what the mark loop asks of a work-stealing queue. One owner, any number of thieves.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace jackdaw::mark {

/// A queue with one owner and any number of thieves. Each model's header says how it keeps them apart.
///
/// The owner calls push, pop, offers_tasks, grant_early and counters; every other thread may call steal,
/// has_stealable and looks_stealable at any time. A queue is empty exactly when its owner's pop fails: what a
/// thief sees says nothing of tasks that are not stealable yet.
template <typename Queue>
concept StealableQueue = requires(Queue& queue, const Queue& unchanged, typename Queue::Task task,
                                  std::uint64_t sample) {
  { queue.push(task) } -> std::same_as<bool>;
  { queue.pop(task) } -> std::same_as<bool>;
  { queue.steal(task) } -> std::same_as<typename Queue::StealOutcome>;
  { queue.has_stealable() } -> std::same_as<bool>;
  { unchanged.looks_stealable(sample) } -> std::same_as<bool>;
  { unchanged.offers_tasks() } -> std::same_as<bool>;
  { queue.grant_early() } -> std::same_as<bool>;
  { unchanged.counters().grants } -> std::convertible_to<std::uint64_t>;
  { unchanged.counters().takeovers } -> std::convertible_to<std::uint64_t>;
  { unchanged.memory_bytes() } -> std::same_as<std::size_t>;
  Queue::StealOutcome::taken;
  Queue::StealOutcome::empty;
  Queue::StealOutcome::contended;
};

}  // namespace jackdaw::mark
