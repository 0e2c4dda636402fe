// ThreadsStopped: the time in which a collection has the program stand still, and that the program is told
// of.
#pragma once

#include <cstdint>

#include "base/stress.h"
#include "gc/process/process_collector.h"

namespace jackdaw::gc {

// Tells the end of a collection when it dies, also by an exception.
class ProcessCollector::EndTold {
 public:
  explicit EndTold(const ProcessCollector& collector) : collector_(collector) {}
  ~EndTold() { collector_.tell(CollectionEvent::end); }
  EndTold(const EndTold&) = delete;
  EndTold& operator=(const EndTold&) = delete;

 private:
  const ProcessCollector& collector_;
};

// The time in which no other thread runs that uses the heap. Ends when the object dies, also by an exception.
class ProcessCollector::ThreadsStopped {
 public:
  explicit ThreadsStopped(ProcessCollector& collector)
      : collector_(collector), pause_(collector.trace_, TracePhase::pause) {
    collector_.tell(CollectionEvent::before_stop);
    const auto stop = [this] {
      const CollectionTrace::Span stopping(collector_.trace_, TracePhase::stop_threads);
      base::Stress::delay();
      stopped_threads_ = collector_.threads_.stop_others();
    };
    knows_static_roots_ = collector_.static_roots_.take(stop);
    collector_.begin_pause();
    collector_.tell(CollectionEvent::after_stop);
    collector_.tell_threads(ThreadEvent::stopped);
  }
  ~ThreadsStopped() {
    collector_.tell_threads(ThreadEvent::to_resume);
    collector_.tell(CollectionEvent::before_resume);
    collector_.end_pause();
    collector_.collecting_.set_polling_time(collector_.threads_.polling_time());
    collector_.threads_.resume_others();
    collector_.static_roots_.mutex().unlock();
    collector_.tell(CollectionEvent::after_resume);
  }
  ThreadsStopped(const ThreadsStopped&) = delete;
  ThreadsStopped& operator=(const ThreadsStopped&) = delete;

  [[nodiscard]] bool knows_static_roots() const { return knows_static_roots_; }
  [[nodiscard]] std::uint32_t stopped_threads() const { return stopped_threads_; }

 private:
  ProcessCollector& collector_;
  const CollectionTrace::Span pause_;
  std::uint32_t stopped_threads_ = 0;
  bool knows_static_roots_ = false;
};

}  // namespace jackdaw::gc
