// Stands in for gc/report/trace/collection_trace.h: notes nothing.
#pragma once

#include <cstdint>

namespace jackdaw::gc {

enum class TracePhase : std::uint8_t {
  cycle,
  pause,
  stop_threads,
  clear_marks,
  mark_concurrently,
  remark,
  sweep_concurrently,
};

class CollectionTrace {
 public:
  static bool is_on() { return false; }
  static void begin(TracePhase) {}
  static void end(TracePhase) {}
  static void write() {}

  struct Span {
    Span(CollectionTrace&, TracePhase) {}
    ~Span() {}  // so that it is not unused
  };
};

}  // namespace jackdaw::gc
