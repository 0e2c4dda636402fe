#include "gc/report/trace/collection_trace.h"

#include <cerrno>
#include <new>
#include <string_view>
#include <utility>

#include "base/path_pattern.h"
#include "base/warn.h"

namespace jackdaw::gc {

namespace {

// Tracks of the program's threads are numbered by thread; the kernel's numbers are not larger than this.
constexpr std::uint32_t kMostThreadNumber = std::uint32_t{1} << 22;
constexpr std::uint32_t kCollectorTrack = kMostThreadNumber + 1;
constexpr std::uint32_t kFirstWorkerTrack = kCollectorTrack + 1;

// The room for events between two writes: a collection has some twenty, and a stop of each thread; a cycle
// has some thousands.
constexpr std::size_t kEvents = 16384;
constexpr std::size_t kStops = 65536;
constexpr std::size_t kSpansOfAWorker = 65536;
// Room is kept for the ends of this many nested phases.
constexpr std::size_t kDeepest = 16;

constexpr std::array<std::string_view, 4> kActivityNames{"work", "steal", "idle", "sleep"};

}  // namespace

CollectionTrace::Recording::Recording(std::string path_pattern, std::uint32_t worker_count)
    : pattern(std::move(path_pattern)),
      path(base::expand_path(pattern)),
      events(kEvents),
      stops(kStops),
      workers(worker_count, kSpansOfAWorker) {}

CollectionTrace::CollectionTrace(const std::string& path, std::uint32_t workers) {
  if (path.empty()) return;
  try {
    recording_ = std::make_unique<Recording>(path, workers);
  } catch (const std::bad_alloc&) {
    base::warn("no memory for the trace '" + path + "'");
    return;
  }
  open_file();
}

void CollectionTrace::open_file() {
  TraceFile& file = recording_->file;
  file.open(recording_->path);
  file.event('M', "process_name").argument("name", program_invocation_short_name);
  file.event('M', "thread_name").thread(kCollectorTrack).argument("name", "collector");
  for (std::uint32_t worker = 0; worker < recording_->workers.worker_count(); ++worker) {
    file.event('M', "thread_name")
        .thread(kFirstWorkerTrack + worker)
        .argument("name", "mark worker " + std::to_string(worker));
  }
  file.flush();
}

// If there is no room for the beginning of a phase, nothing is noted until it has ended.
void CollectionTrace::note_begin(TracePhase phase, std::uint64_t number, CollectionReason reason) {
  if (recording_->unnoted != 0 || recording_->events.room_left() < kDeepest) {
    ++recording_->unnoted;
    return recording_->events.drop();
  }
  recording_->events.add(
      {Clock::now(), number, Event::Kind::begin, static_cast<std::uint8_t>(phase), reason});
}

void CollectionTrace::note_end(TracePhase phase) {
  if (recording_->unnoted != 0) {
    --recording_->unnoted;
    return recording_->events.drop();
  }
  recording_->events.add({Clock::now(), 0, Event::Kind::end, static_cast<std::uint8_t>(phase), {}});
}

void CollectionTrace::note_counter(TraceCounter counter, std::uint64_t bytes) {
  if (recording_->events.room_left() < kDeepest) return recording_->events.drop();
  recording_->events.add({Clock::now(), bytes, Event::Kind::counter, static_cast<std::uint8_t>(counter), {}});
}

void CollectionTrace::write() {
  if (!is_on()) return;
  for (const Event& event : recording_->events.events()) write_event(event);
  for (const ThreadStop& stop : recording_->stops.events()) write_stop(stop);
  for (std::uint32_t worker = 0; worker < recording_->workers.worker_count(); ++worker) write_worker(worker);
  if (const std::uint64_t dropped = dropped_events(); dropped != 0) {
    recording_->file.event('i', "dropped events")
        .thread(kCollectorTrack)
        .at(Clock::now())
        .argument("count", dropped);
  }
  recording_->file.flush();
  clear();
}

std::uint64_t CollectionTrace::dropped_events() const {
  std::uint64_t dropped = recording_->events.dropped() + recording_->stops.dropped();
  for (std::uint32_t worker = 0; worker < recording_->workers.worker_count(); ++worker)
    dropped += recording_->workers.of(worker).dropped();
  return dropped;
}

void CollectionTrace::clear() {
  recording_->events.clear();
  recording_->stops.clear();
  recording_->workers.clear();
}

void CollectionTrace::write_event(const Event& event) {
  TraceFile& file = recording_->file;
  switch (event.kind) {
    case Event::Kind::begin: {
      file.event('B', kTracePhaseNames[event.what]).thread(kCollectorTrack).at(event.time);
      if (event.value != 0) file.argument("number", event.value);
      const bool is_collection = event.what == static_cast<std::uint8_t>(TracePhase::collection);
      if (is_collection) file.argument("reason", name_of(event.reason));
      break;
    }
    case Event::Kind::end:
      file.event('E', kTracePhaseNames[event.what]).thread(kCollectorTrack).at(event.time);
      break;
    case Event::Kind::counter:
      file.event('C', kTraceCounterNames[event.what])
          .thread(kCollectorTrack)
          .at(event.time)
          .argument("bytes", event.value);
      break;
  }
}

void CollectionTrace::write_stop(const ThreadStop& stop) {
  const auto thread = static_cast<std::uint32_t>(stop.thread);
  TraceFile& file = recording_->file;
  file.event('X', "stop").thread(thread).at(stop.asked).lasting(stop.answered - stop.asked);
  file.event('X', "stopped").thread(thread).at(stop.answered).lasting(stop.resumed - stop.answered);
}

void CollectionTrace::write_worker(std::uint32_t worker) {
  TraceFile& file = recording_->file;
  for (const mark::WorkerSpan& span : recording_->workers.of(worker).spans()) {
    file.event('X', kActivityNames[static_cast<std::size_t>(span.activity)])
        .thread(kFirstWorkerTrack + worker)
        .at(span.start)
        .lasting(span.end - span.start);
    if (span.activity == mark::Activity::steal)
      file.argument("victim", span.victim).argument("tasks", span.tasks);
  }
}

void CollectionTrace::after_fork_in_child() {
  if (!is_on()) return;
  recording_->file.close();
  recording_->unnoted = 0;
  clear();
  std::string path = base::expand_path(recording_->pattern);
  if (path == recording_->path) return;
  recording_->path = std::move(path);
  open_file();
}

}  // namespace jackdaw::gc
