// ShortTurns: a thread that gets its processor back soon.
//
// A thread that stops a program, lets it run for part of a millisecond and stops it again has to wait, where
// all processors are busy, for another thread's time slice of some milliseconds to end. Linux (6.12 and
// newer) lets a thread with a short time slice run earlier, without more time in all.
#pragma once

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace jackdaw::base {

/// While it exists, the calling thread's time slice is as short as the system allows. On older systems, and
/// for threads with other scheduling policies than the default, nothing changes. Keeps errno.
class ShortTurns {
 public:
  ShortTurns() {
    const int error = errno;
    is_changed_ =
        syscall(SYS_sched_getattr, 0, &before_, sizeof before_, 0) == 0 && before_.policy == SCHED_OTHER;
    if (is_changed_) {
      Attributes attributes = before_;
      attributes.runtime = kShortest;
      is_changed_ = set(attributes);
    }
    errno = error;
  }
  ~ShortTurns() {
    const int error = errno;
    if (is_changed_) set(before_);
    errno = error;
  }
  ShortTurns(const ShortTurns&) = delete;
  ShortTurns& operator=(const ShortTurns&) = delete;

 private:
  static constexpr std::uint64_t kShortest = 100'000;  // nanoseconds; the system's minimum

  // The struct of <linux/sched/types.h>, with which C libraries' headers clash.
  struct Attributes {
    std::uint32_t size = sizeof(Attributes);
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0;
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
  };

  static bool set(Attributes& attributes) { return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0; }

  Attributes before_;
  bool is_changed_ = false;
};

}  // namespace jackdaw::base
