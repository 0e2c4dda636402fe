// EventQueue: the next steps of simulated workers, by time.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace jackdaw::bench {

/// A worker's next step.
struct Event {
  double time;
  std::uint32_t worker;
  /// The earliest event comes first; of those at the same time, the one of the lowest-numbered worker.
  bool operator>(const Event& other) const {
    return time != other.time ? time > other.time : worker > other.worker;
  }
};

class EventQueue {
 public:
  /// Adds an event. O(log events), as take_first().
  void add(const Event& event) { events_.push(event); }
  /// Takes the first event; there must be one.
  Event take_first() {
    const Event first = events_.top();
    events_.pop();
    return first;
  }
  /// Whether something happens at `time` or before.
  [[nodiscard]] bool is_due(double time) const { return !events_.empty() && events_.top().time <= time; }

 private:
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace jackdaw::bench
