// CyclePermission: whether a process's collector may run concurrent cycles: whether that was asked for, and
// whether the system allows it.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/warn.h"
#include "gc/process/process_options.h"

namespace jackdaw::gc {

/// One for the process. With the collector's lock, unless a function says otherwise.
class CyclePermission {
 public:
  explicit CyclePermission(const ProcessOptions& options)
      : may_be_asked_for_(options.marks_concurrently != MarksConcurrently::never),
        is_asked_for_(options.marks_concurrently == MarksConcurrently::always),
        is_granted_(is_asked_for_),
        may_come_unasked_(options.marks_concurrently == MarksConcurrently::by_default &&
                          options.marking.engine.processors > 1) {}

  /// Whether the program may ask for cycles.
  [[nodiscard]] bool may_be_asked_for() const { return may_be_asked_for_; }
  /// Whether the program or the environment asked for cycles, possible or not.
  [[nodiscard]] bool is_asked_for() const { return is_asked_for_; }
  /// Whether cycles were asked for and the system allows them. Any thread.
  // Relaxed, all: a value that publishes nothing.
  [[nodiscard]] bool is_granted() const { return is_granted_.load(std::memory_order_relaxed); }
  /// Whether there may be cycles that were not asked for, where stop-the-world collections take long.
  [[nodiscard]] bool may_come_unasked() const { return may_come_unasked_; }
  /// Whether there may be cycles at all.
  [[nodiscard]] bool is_possible() const { return is_granted() || may_come_unasked_; }

  /// Notes that the program asks for cycles.
  void ask() { is_asked_for_ = true; }
  void grant() { is_granted_.store(true, std::memory_order_relaxed); }
  /// Forbids cycles from now on, and tells the reason, once, if they were asked for. May be called while the
  /// program is stopped. Returns false.
  bool refuse(const char* reason) {
    is_granted_.store(false, std::memory_order_relaxed);
    may_come_unasked_ = false;
    if (is_asked_for_ && !std::exchange(has_told_, true)) base::warn(reason);
    return false;
  }

 private:
  const bool may_be_asked_for_;
  bool is_asked_for_;
  std::atomic<bool> is_granted_;
  bool may_come_unasked_;
  bool has_told_ = false;
};

}  // namespace jackdaw::gc
