// TimeLine: what the workers of a Marker did, and when.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mark/event_buffer.h"

namespace jackdaw::mark {

/// The activity of a worker within a round.
enum class Activity : std::uint8_t {
  work,   ///< visits tasks
  steal,  ///< searched for tasks until it had stolen some
  idle,   ///< searched for tasks in vain
  sleep,  ///< has left the round, or was not called to it yet
};

/// One activity of a worker.
struct WorkerSpan {
  std::chrono::steady_clock::time_point start = {};
  std::chrono::steady_clock::time_point end = {};
  Activity activity = Activity::sleep;
  std::uint16_t victim = 0;  ///< of a steal: the worker that was stolen from
  std::uint32_t tasks = 0;   ///< of a steal: how many were stolen
};

/// One worker's spans. Within a round they follow one another without gaps, and neighbours differ in
/// activity. Used by the worker's own thread, and between rounds by the thread that runs them.
class alignas(128) WorkerTimeLine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Throws std::bad_alloc.
  explicit WorkerTimeLine(std::size_t room) : spans_(room) {}

  void start_round(Activity activity, Time now) { current_ = {.start = now, .activity = activity}; }
  /// Ends the present span, if the activity changes, and begins the next.
  void change_to(Activity activity, Time now) {
    if (activity == current_.activity) return;
    end_round(now);
    start_round(activity, now);
  }
  /// Turns the present span into a steal: the search has found tasks.
  void note_steal(std::uint32_t victim, std::size_t tasks) {
    current_.activity = Activity::steal;
    current_.victim = static_cast<std::uint16_t>(victim);
    current_.tasks = static_cast<std::uint32_t>(tasks);
  }
  void end_round(Time now) {
    current_.end = now;
    spans_.add(current_);
  }

  [[nodiscard]] std::span<const WorkerSpan> spans() const { return spans_.events(); }
  /// Returns how many spans there was no room for.
  [[nodiscard]] std::uint64_t dropped() const { return spans_.dropped(); }
  void clear() { spans_.clear(); }

 private:
  EventBuffer<WorkerSpan> spans_;
  WorkerSpan current_;
};

/// Pass it to a Marker in MarkerOptions::time_line. Each round adds the spans of the workers that were called
/// to it; they stay until clear(), which the thread that runs the rounds calls between two of them. Nothing
/// is allocated in a round: spans without room are counted and dropped.
class TimeLine {
 public:
  /// Makes room for `spans` spans of 24 bytes for each of `workers` workers; unused room takes no memory.
  /// Throws std::bad_alloc.
  TimeLine(std::uint32_t workers, std::size_t spans) {
    workers_.reserve(workers);
    for (std::uint32_t worker = 0; worker < workers; ++worker) workers_.emplace_back(spans);
  }

  [[nodiscard]] std::uint32_t worker_count() const { return static_cast<std::uint32_t>(workers_.size()); }
  [[nodiscard]] WorkerTimeLine& of(std::uint32_t worker) { return workers_[worker]; }
  [[nodiscard]] const WorkerTimeLine& of(std::uint32_t worker) const { return workers_[worker]; }
  void clear() {
    for (WorkerTimeLine& worker : workers_) worker.clear();
  }

 private:
  std::vector<WorkerTimeLine> workers_;
};

}  // namespace jackdaw::mark
