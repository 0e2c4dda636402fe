// CollectionTrace: notes what a collector did, and when, on a time line (docs/trace.md).
//
// Events are noted in buffers and written to a file when the threads run again, since a stopped one may hold
// malloc's lock. Probes (base/probe.h) are at the same places, with or without a file.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/probe.h"
#include "gc/report/collection_reason.h"
#include "gc/report/trace/trace_file.h"
#include "mark/event_buffer.h"
#include "mark/time_line.h"

namespace jackdaw::gc {

/// The phases of a collector.
enum class TracePhase : std::uint8_t {
  collection,
  cycle,         ///< a concurrent cycle, to the end of its sweep
  pause,         ///< from asking threads to stop until they are resumed
  stop_threads,  ///< until all of them are stopped
  clear_marks,
  mark,
  finish,  ///< finalization, weak references, destructors
  sweep,
  mark_concurrently,
  remark,  ///< a pass over dirty pages
  sweep_concurrently,
};

inline constexpr std::array<const char*, 11> kTracePhaseNames{"collection",
                                                              "cycle",
                                                              "pause",
                                                              "stop threads",
                                                              "clear marks",
                                                              "mark",
                                                              "finish",
                                                              "sweep",
                                                              "mark concurrently",
                                                              "re-mark",
                                                              "sweep concurrently"};

/// A number of bytes over time.
enum class TraceCounter : std::uint8_t {
  live,       ///< found by the last collection
  allocated,  ///< since then
  heap,       ///< the heap's memory
  free,       ///< the heap's memory in blocks without objects
};

inline constexpr std::array<const char*, 4> kTraceCounterNames{"live", "allocated", "heap", "free"};

/// Phases, in sequence or nested, and counters. Used by the collecting thread, and by the marking thread in
/// its own phases of a cycle: one thread at a time.
class CollectionTrace {
 public:
  using Clock = std::chrono::steady_clock;

  /// `path` is the file's path, in which %p becomes the process's number and %% a %; if it is empty, there is
  /// no file. There are at most `workers` mark threads. When there is no memory, or the file cannot be
  /// written, one line on the error output says so.
  CollectionTrace(const std::string& path, std::uint32_t workers);
  CollectionTrace(const CollectionTrace&) = delete;
  CollectionTrace& operator=(const CollectionTrace&) = delete;

  /// Whether there is a file.
  [[nodiscard]] bool is_on() const { return recording_ != nullptr; }
  /// Returns the time line for the marking engine; null where there is no file.
  [[nodiscard]] mark::TimeLine* workers() { return is_on() ? &recording_->workers : nullptr; }

  /// Begins a phase. `number` is the collection's, where the phase is one, or will end in one.
  void begin(TracePhase phase, std::uint64_t number = 0, CollectionReason reason = {}) {
    JACKDAW_PROBE2(phase_begin, kTracePhaseNames[static_cast<std::size_t>(phase)], number);
    if (is_on()) [[unlikely]]
      note_begin(phase, number, reason);
  }
  void end(TracePhase phase) {
    JACKDAW_PROBE1(phase_end, kTracePhaseNames[static_cast<std::size_t>(phase)]);
    if (is_on()) [[unlikely]]
      note_end(phase);
  }
  void count(TraceCounter counter, std::uint64_t bytes) {
    JACKDAW_PROBE2(counter, kTraceCounterNames[static_cast<std::size_t>(counter)], bytes);
    if (is_on()) [[unlikely]]
      note_counter(counter, bytes);
  }
  /// Begins a phase, and ends it when it is destroyed.
  class Span {
   public:
    Span(CollectionTrace& trace, TracePhase phase, std::uint64_t number = 0, CollectionReason reason = {})
        : trace_(trace), phase_(phase) {
      trace_.begin(phase, number, reason);
    }
    ~Span() { trace_.end(phase_); }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    CollectionTrace& trace_;
    const TracePhase phase_;
  };

  /// How one of the program's threads was stopped.
  struct ThreadStop {
    pid_t thread;
    Clock::time_point asked;
    Clock::time_point answered;  ///< it is stopped
    Clock::time_point resumed;
  };
  /// Adds a thread's stop, where there is a file. With the collector's lock.
  void add(const ThreadStop& stop) { recording_->stops.add(stop); }

  /// Writes the events since the last call, where there is a file. With the collector's lock, by a thread
  /// that may note phases, while the threads run and none marks. Calls malloc, here and below, so needs
  /// OwnWork.
  void write();
  /// Gives the child a file of its own, if the path contains %p; otherwise it writes none.
  void after_fork_in_child();

 private:
  struct Event {
    enum class Kind : std::uint8_t { begin, end, counter };

    Clock::time_point time;
    std::uint64_t value;  // the collection's number, or the counter's bytes
    Kind kind;
    std::uint8_t what;  // TracePhase or TraceCounter
    CollectionReason reason;
  };
  struct Recording {
    Recording(std::string path_pattern, std::uint32_t worker_count);

    const std::string pattern;
    std::string path;
    TraceFile file;
    mark::EventBuffer<Event> events;
    mark::EventBuffer<ThreadStop> stops;
    mark::TimeLine workers;
    std::uint32_t unnoted = 0;  // phases under way whose beginning had no room
  };

  void note_begin(TracePhase phase, std::uint64_t number, CollectionReason reason);
  void note_end(TracePhase phase);
  void note_counter(TraceCounter counter, std::uint64_t bytes);
  void open_file();
  void write_event(const Event& event);
  void write_stop(const ThreadStop& stop);
  void write_worker(std::uint32_t worker);
  [[nodiscard]] std::uint64_t dropped_events() const;
  void clear();

  std::unique_ptr<Recording> recording_;
};

}  // namespace jackdaw::gc
