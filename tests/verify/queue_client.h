// The two sides of a queue under verification: an owner that keeps its books, and thieves.
//
// Task i is worth 16 to the i, so a sum of tasks is a hexadecimal number whose digit i says how often task i
// was got. One comparison of sums then shows that nothing was lost and nothing was got twice.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mark/queue/queue.h"
#include "tests/verify/verify.h"

namespace verify {

using Task = std::uint64_t;
using Sum = std::uint64_t;
using Outcome = jackdaw::mark::StealOutcome;

// The data that the tasks stand for: written plainly before the push, read by the thread that got the task.
inline std::array<Task, 12> pointees;

// How many tasks were pushed before this one.
inline std::size_t number_of(Task task) { return static_cast<std::size_t>(std::countr_zero(task)) / 4; }

/// In which order the owner gets its tasks back.
enum class Order : std::uint8_t { newest_first, oldest_first };

/// The owner's side: what it has put in and got out.
template <typename Queue, Order kOrder = Order::newest_first>
class Owner {
 public:
  explicit Owner(Queue& queue) : queue_(queue) {}

  // A full queue is an answer, not an error; only what went in counts.
  bool push() {
    const Task task = Task{1} << (4 * next_);
    pointees[next_++] = task;
    if (!queue_.push(task)) return false;
    put_ += task;
    return true;
  }

  void push(int count) {
    for (int i = 0; i < count; ++i) push();
  }

  bool pop() {
    Task task;
    if (!queue_.pop(task)) {
      // Empty means that thieves claimed all there was, so nothing can be on offer.
      CHECK(!queue_.offers_tasks());
      return false;
    }
    if constexpr (kOrder == Order::newest_first) {
      // Thieves take the oldest, so the owner gets its newest or nothing.
      const Sum left = put_ - got_;
      CHECK(task <= left && left / 16 < task);
    } else {
      CHECK(task > got_);
    }
    got_ += task;
    return true;
  }

  void pop(int count) {
    for (int i = 0; i < count; ++i) pop();
  }

  // Takes a task if there is one, and goes on in the same way if there is none: no branch, hence no
  // dependency, stands between what the queue has read and what it does next, but those in the queue itself.
  void pop_unheeded() {
    Task task = 0;
    queue_.pop(task);
    got_ += task;
  }

  bool grant_early() { return queue_.grant_early(); }

  // After the thieves are gone: takes what is left and compares. After that, `room` tasks must go in.
  void settle(Sum stolen, int room) {
    // At rest, what the owner has to offer and what a thief finds are the same: the thieves' place to look
    // has not run past tasks, nor is it stuck below them.
    CHECK(queue_.offers_tasks() == queue_.has_stealable());
    while (pop()) {
    }
    CHECK(got_ + stolen == put_);
    CHECK(!queue_.has_stealable());
    for (int i = 0; i < room; ++i) CHECK(queue_.push(0));
  }

  // The same, but leaves to a last thief all that is offered.
  void settle_by_stealing(Sum stolen, int room) {
    while (queue_.offers_tasks()) {
      Task task;
      CHECK(queue_.steal(task) == Outcome::taken);
      stolen += task;
    }
    settle(stolen, room);
  }

 private:
  Queue& queue_;
  std::size_t next_ = 0;
  Sum put_ = 0;
  Sum got_ = 0;
};

// In which order a thief gets its tasks: most queues give each thief the oldest that is left.
enum class StealOrder : std::uint8_t { oldest_first, any };

// Checks a task that a thief got and adds it to the thief's sum.
template <StealOrder kOrder = StealOrder::oldest_first>
void take_into(Sum& stolen, Task task) {
  if constexpr (kOrder == StealOrder::oldest_first) CHECK(task > stolen);
  CHECK(pointees[number_of(task)] == task);
  stolen += task;
}

// A thief's body: `kAttempts` steals, its sum as the result.
template <typename Queue, int kAttempts, StealOrder kOrder = StealOrder::oldest_first>
void* steal(void* queue) {
  Sum stolen = 0;
  for (int i = 0; i < kAttempts; ++i) {
    Task task;
    if (static_cast<Queue*>(queue)->steal(task) == Outcome::taken) take_into<kOrder>(stolen, task);
  }
  return result(stolen);
}

// The same, but takes up to `kRoom` tasks each time.
template <typename Queue, int kAttempts, std::size_t kRoom>
void* steal_some(void* queue) {
  Sum stolen = 0;
  for (int i = 0; i < kAttempts; ++i) {
    std::array<Task, kRoom> room;
    const jackdaw::mark::BatchSteal batch = static_cast<Queue*>(queue)->steal_some(room);
    CHECK((batch.outcome == Outcome::taken) == (batch.count > 0));
    CHECK(batch.count <= kRoom);
    for (std::size_t at = 0; at < batch.count; ++at) take_into(stolen, room[at]);
  }
  return result(stolen);
}

}  // namespace verify
