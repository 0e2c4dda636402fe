// A round of workers that hand each other tasks by mail alone, and end it by a termination detector: the
// parts of a client.
//
// A task is a number n: executing it writes results[n], plainly, and posts task n - 1. A worker that runs dry
// takes what there is, its own included, and offers only after it found the mailbox empty. A worker that is
// told that the round is over reads all results, plainly: so a worker that was told while a task lay in the
// mail, or was being executed, is a race or a failed check.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mark/mail/mailbox.h"
#include "tests/verify/termination/workers.h"

namespace verify {

using Task = std::uint64_t;

template <typename Detector, std::uint32_t kTasks>
class MailRound {
 public:
  static inline Detector* detector;

  /// A thread's body. The worker that begins has the first task.
  template <std::uint32_t kWorker, bool kBegins>
  static void* work(void*) {
    if (kBegins) execute(kWorker, kTasks - 1);
    for (;;) {
      std::array<Task, 1> task;
      while (!box.is_empty()) {
        if (box.take(task) != 0) execute(kWorker, task[0]);
      }
      if (detector->offer(kWorker, [] { return !box.is_empty(); })) break;
    }
    CHECK(box.is_empty());
    for (const std::uint32_t result : results) CHECK(result == 1);
    return nullptr;
  }

 private:
  static inline jackdaw::mark::Mailbox<Task, 1, 1> box;
  static inline std::array<std::uint32_t, kTasks> results;

  static void execute(std::uint32_t worker, Task number) {
    results[number] = 1;
    if (number == 0) return;
    const std::array<Task, 1> next{number - 1};
    detector->before_posting(worker);
    // There is one task, so there is a slot.
    CHECK(box.post(next));
    if (detector->hungry()) detector->wake();
  }
};

/// A whole round of two workers, of which the last one begins.
template <std::uint32_t kTasks, typename Detector>
void run_mail_round(Detector& detector) {
  using Round = MailRound<Detector, kTasks>;
  Round::detector = &detector;
  detector.start_round(2, 2);
  const Thread other = start(Round::template work<1, true>, nullptr);
  Round::template work<0, false>(nullptr);
  join(other);
}

}  // namespace verify
