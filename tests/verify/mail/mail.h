// The mailbox of the clients in this folder: small blocks, and threads that post and take.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mark/mail/mailbox.h"
#include "tests/verify/queue_client.h"

namespace verify {

// Posts a block of tasks `first` and the next, after their pointees. Returns what went in.
template <std::size_t kTasks, typename Box>
Sum post(Box& box, std::size_t first) {
  std::array<Task, kTasks> tasks;
  Sum sum = 0;
  for (std::size_t i = 0; i < kTasks; ++i) {
    tasks[i] = Task{1} << (4 * (first + i));
    pointees[first + i] = tasks[i];
    sum += tasks[i];
  }
  return box.post(tasks) ? sum : 0;
}

// Takes a block, if there is one. Returns what came out.
template <typename Box>
Sum take(Box& box) {
  std::array<Task, Box::kBlockTasks> room;
  const std::size_t count = box.take(room);
  Sum sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    CHECK(pointees[number_of(room[i])] == room[i]);
    sum += room[i];
  }
  return sum;
}

}  // namespace verify
