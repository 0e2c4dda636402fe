// WorkTime: how much processor time threads spend on one kind of work among others.
#pragma once

#include <atomic>
#include <chrono>

namespace jackdaw::base {

/// A sum over all threads. Any thread.
class WorkTime {
 public:
  /// While it exists, the calling thread's processor time counts, here or, where spans are nested, where the
  /// outer one says.
  class Span {
   public:
    explicit Span(WorkTime& work);
    ~Span();
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    friend class WorkTime;
    [[nodiscard]] std::chrono::nanoseconds so_far() const;

    WorkTime& work_;
    const bool is_nested_;
    const std::chrono::nanoseconds begin_;
  };

  /// Returns the time of all spans that have ended, and of the calling thread's own.
  [[nodiscard]] std::chrono::nanoseconds total() const;
  /// Begins at zero again: in the child of a fork, as its threads' clocks do.
  // Relaxed: a number that publishes nothing.
  void reset() { ended_.store({}, std::memory_order_relaxed); }

 private:
  // The calling thread's outer span, or null.
  static constinit thread_local const Span* own_;

  std::atomic<std::chrono::nanoseconds> ended_{};
};

}  // namespace jackdaw::base
