// What the verification clients share: threads, checks and memory as the model checker GenMC knows them, so
// that the queue under test needs neither change nor stand-in.
//
// Task i is worth 16 to the i, so a sum of tasks is a hexadecimal number whose digit i says how often task i
// was got. One comparison of sums then shows that nothing was lost and nothing was got twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "mark/queue/bwos_lifo.h"

extern "C" {
[[noreturn]] void __VERIFIER_assert_fail(const char* condition, const char* file, int line);
int __VERIFIER_thread_create(const void* attributes, void* (*body)(void*), void* argument);
int __VERIFIER_thread_create_symmetric(const void* attributes, void* (*body)(void*), void* argument,
                                       long twin);
void* __VERIFIER_thread_join(long thread);
void* __VERIFIER_malloc(std::size_t size);
void* __VERIFIER_malloc_aligned(std::size_t alignment, std::size_t size);
void __VERIFIER_free(void* memory);
}

#define CHECK(condition) ((condition) ? void() : __VERIFIER_assert_fail(#condition, __FILE__, __LINE__))

// The model checker's own memory: it reports reads of what nobody wrote, and touching what is gone.
void* operator new[](std::size_t size) { return __VERIFIER_malloc(size); }
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return __VERIFIER_malloc_aligned(static_cast<std::size_t>(alignment), size);
}
void operator delete[](void* memory) noexcept { __VERIFIER_free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { __VERIFIER_free(memory); }

namespace verify {

using Task = std::uint64_t;
using Queue = jackdaw::mark::BwosLifo<Task>;
using Outcome = jackdaw::mark::StealOutcome;
using Thread = long;
using Sum = std::uint64_t;

// The owner's side: what it has put in and got out.
class Owner {
 public:
  Owner(Queue& queue, int block_count, int block_size)
      : queue_(queue), room_((block_count - 1) * block_size + 1) {}

  // A full queue is an answer, not an error; only what went in counts.
  bool push() {
    const Task task = Task{1} << (4 * next_++);
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
    // Thieves take the oldest, so the owner gets its newest or nothing.
    const Sum left = put_ - got_;
    CHECK(task <= left && left / 16 < task);
    got_ += task;
    return true;
  }

  void pop(int count) {
    for (int i = 0; i < count; ++i) pop();
  }

  bool grant_early() { return queue_.grant_early(); }

  // After the thieves are gone: takes what is left and compares.
  void settle(Sum stolen) {
    // At rest, what was granted and what a thief finds are the same: the bottom has not run past tasks, nor
    // is it stuck below them.
    CHECK(queue_.offers_tasks() == queue_.has_stealable());
    while (pop()) {
    }
    CHECK(got_ + stolen == put_);
    CHECK(!queue_.has_stealable());
    // Every block but the top is free again, and the top has room for one at least.
    for (int i = 0; i < room_; ++i) CHECK(queue_.push(0));
  }

  // The same, but leaves to a last thief all that was granted.
  void settle_by_stealing(Sum stolen) {
    while (queue_.offers_tasks()) {
      Task task;
      CHECK(queue_.steal(task) == Outcome::taken);
      stolen += task;
    }
    settle(stolen);
  }

 private:
  Queue& queue_;
  const int room_;
  int next_ = 0;
  Sum put_ = 0;
  Sum got_ = 0;
};

// A thief's body: `attempts` steals, its sum as the result.
template <int attempts>
void* steal(void* queue) {
  Sum stolen = 0;
  for (int i = 0; i < attempts; ++i) {
    Task task;
    if (static_cast<Queue*>(queue)->steal(task) != Outcome::taken) continue;
    // Oldest first, so each thief sees its tasks in the order in which they were pushed.
    CHECK(task > stolen);
    stolen += task;
  }
  return reinterpret_cast<void*>(stolen);
}

inline Thread start(void* (*body)(void*), Queue& queue) {
  return __VERIFIER_thread_create(nullptr, body, &queue);
}

// For a thread with the same body as `twin`: which of the two does what makes no difference, so it is tried
// once.
inline Thread start_twin(void* (*body)(void*), Queue& queue, Thread twin) {
  return __VERIFIER_thread_create_symmetric(nullptr, body, &queue, twin);
}

inline Sum join(Thread thread) { return reinterpret_cast<Sum>(__VERIFIER_thread_join(thread)); }

}  // namespace verify
