#include "gc/process/concurrent/concurrent_marking.h"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <utility>

#include "base/prefetch.h"
#include "base/processor_time.h"
#include "base/short_turns.h"
#include "base/signals_blocked.h"
#include "base/stress.h"
#include "gc/marking/object_model.h"
#include "gc/marking/share_until.h"
#include "gc/process/concurrent/marking_constants.h"
#include "gc/process/concurrent/unmarked_references.h"
#include "gc/process/threads/own_work.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

namespace {

using namespace marking_constants;

// Whether a cycle may change from one phase to the other. The thread is ended by a sweeping phase in which
// there is nothing to sweep.
constexpr bool may_follow(ConcurrentMarking::Phase before, ConcurrentMarking::Phase next) {
  using Phase = ConcurrentMarking::Phase;
  switch (before) {
    case Phase::idle:
      return next == Phase::marking || next == Phase::sweeping;
    case Phase::marking:
      return next == Phase::marked;
    case Phase::marked:
      return next == Phase::marking || next == Phase::sweeping || next == Phase::idle;
    case Phase::sweeping:
      return next == Phase::idle;
  }
  return false;
}

}  // namespace

// Takes the collector's lock and stops the program.
class ConcurrentMarking::Stop {
 public:
  explicit Stop(ConcurrentMarking& marking) : marking_(marking), lock_(marking.lock_) {
    marking_.lock_.let_nobody_pass();
    marking_.trace_.begin(TracePhase::pause);
    const CollectionTrace::Span stopping(marking_.trace_, TracePhase::stop_threads);
    base::Stress::delay();
    marking_.threads_.stops().stop_others();
  }
  // The time of the stop ends before threads are resumed, as they may take this thread's processor.
  ~Stop() {
    marking_.trace_.end(TracePhase::pause);
    if (marking_.phase() != Phase::marking) marking_.trace_.end(TracePhase::mark_concurrently);
    ++marking_.tally_.stops;
    marking_.tally_.longest_stop = std::max(marking_.tally_.longest_stop, Clock::now() - start_);
    if (marking_.sleeps_after_stop()) {
      marking_.threads_.stops().resume_others_soon();
    } else {
      marking_.threads_.stops().resume_others();
    }
  }
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  // Some time is left, however long the threads took to stop.
  [[nodiscard]] Clock::time_point deadline() const {
    const std::chrono::nanoseconds time = marking_.stop_time();
    return std::max(start_ + time, Clock::now() + time / kMostGapDivisor);
  }

 private:
  ConcurrentMarking& marking_;
  const std::lock_guard<StoppableMutex> lock_;
  const Clock::time_point start_ = Clock::now();
};

// Visits dirty pages on one thread. `found` is called with the unmarked objects that they refer to.
template <typename Found>
class ConcurrentMarking::DirtyPages {
 public:
  DirtyPages(ConcurrentMarking& marking, Found found)
      : marking_(marking), unmarked_(marking.heap_.map(), found) {}
  ~DirtyPages() {
    visit_pages(next_);
    // Relaxed: a total.
    if (bytes_ != 0) std::atomic_ref(marking_.dirty_bytes_).fetch_add(bytes_, std::memory_order_relaxed);
  }
  DirtyPages(const DirtyPages&) = delete;
  DirtyPages& operator=(const DirtyPages&) = delete;

  void operator()(base::AddressRange pages) {
    bytes_ += pages.end - pages.begin;
    prefetch(pages);
    visit_pages(std::exchange(next_, pages));
  }

 private:
  // Reads the words of marked objects, block by block, and of large ones as far as they lie on these pages.
  // Objects of kinds with layouts are visited in the last pause instead.
  void visit_pages(base::AddressRange pages) {
    base::AddressRange words{pages.begin, pages.begin};  // of neighbouring objects, collected to one run
    const auto scan_words = [&] { unmarked_.scan(heap::whole_words_between(words.begin, words.end)); };
    for (base::AddressRange part{pages.begin, pages.begin}; part.begin < pages.end; part.begin = part.end) {
      part.end = std::min(pages.end, (part.begin | (heap::kBlockBytes - 1)) + 1);
      const heap::BlockShape shape = marking_.heap_.map().shape_at(part.begin);
      if (!shape.is_large() && shape.words() == 0) continue;
      marking_.heap_.for_each_marked_between(part.begin, part.end, [&](heap::Object* object) {
        const base::AddressRange of_object = words_of(object, shape, part);
        if (of_object.begin != words.end) {
          scan_words();
          words.begin = of_object.begin;
        }
        words.end = of_object.end;
      });
    }
    scan_words();
  }

  ConcurrentMarking& marking_;
  UnmarkedReferences<Found> unmarked_;
  base::AddressRange next_;
  std::uint64_t bytes_ = 0;
};

ConcurrentMarking::ConcurrentMarking(heap::Heap& heap, Collection& collection, StoppableMutex& lock,
                                     ThreadRegistry& threads, CollectionTrace& trace,
                                     std::chrono::milliseconds pause_target)
    : heap_(heap),
      collection_(collection),
      lock_(lock),
      threads_(threads),
      trace_(trace),
      pause_target_(pause_target),
      ranges_(heap.map()),
      claimed_(ranges_, tracking_),
      stacks_(threads.fibers(), tracking_, heap.addresses()),
      time_of_byte_(1 / kVisitedPerMillisecond) {
  roots_.reserve_or_throw(kPiece + heap::kGranulesPerBlock);
  rescans_.reserve_or_throw(kMostOfAStop);
}

bool ConcurrentMarking::start_thread() {
  if (has_thread_) return true;
  const OwnWork own_work;
  // Relaxed: pthread_create publishes it.
  is_ending_.store(false, std::memory_order_relaxed);
  const base::SignalsBlocked blocked(base::kAllProgramSignals);
  has_thread_ = pthread_create(&thread_, nullptr, run_thread, this) == 0;
  return has_thread_;
}

std::chrono::nanoseconds ConcurrentMarking::thread_time() const {
  return has_thread_ ? ended_time_ + base::processor_time(thread_) : ended_time_;
}

void ConcurrentMarking::end_thread() {
  JACKDAW_CHECK(phase() == Phase::idle);
  if (!has_thread_) return;
  // A thread that has ended has no clock.
  ended_time_ = thread_time();
  // Relaxed: the change of the word that follows publishes it.
  is_ending_.store(true, std::memory_order_relaxed);
  change_phase(Phase::sweeping);
  pthread_join(thread_, nullptr);
  has_thread_ = false;
  change_phase(Phase::idle);
}

void* ConcurrentMarking::run_thread(void* self) {
  const OwnWork own_work;
  // Without this, the kernel would prolong this thread's sleeps, of parts of a millisecond, by 50 us.
  prctl(PR_SET_TIMERSLACK, 1000UL);
  static_cast<ConcurrentMarking*>(self)->run();
  return nullptr;
}

void ConcurrentMarking::run() {
  for (;;) {
    const Phase now = phase();
    if (now == Phase::marking) {
      mark();
    } else if (now == Phase::sweeping) {
      // Relaxed: it was written before the phase.
      if (is_ending_.load(std::memory_order_relaxed)) return;
      sweep();
      end_trace_of_cycle();
      change_phase(Phase::idle);
    } else {
      await_end_of(now);
    }
  }
}

void ConcurrentMarking::change_phase(Phase next) {
  JACKDAW_CHECK(may_follow(phase(), next));
  set_phase(next);
}

void ConcurrentMarking::set_phase(Phase phase) {
  base::Stress::delay();
  // Release: pairs with the acquire in phase().
  phase_.value().store(static_cast<std::uint32_t>(phase), std::memory_order_release);
  phase_.wake_all();
  base::Stress::delay();
}

bool ConcurrentMarking::start_tracking(WriteTrackingMethod last) {
  JACKDAW_CHECK(phase() == Phase::idle);
  if (tracking_.start(last) == WriteTrackingMethod::none) return false;
  write_time_ = tracking_.write_time();
  // Soft-dirty bits are cleared for all of the process's pages at once, which loses no write while the
  // program is stopped.
  return tracking_.arms_while_running() || tracking_.arm({});
}

void ConcurrentMarking::start_marking(std::span<heap::Object* const> roots,
                                      std::chrono::nanoseconds first_pause) {
  JACKDAW_CHECK(lock_.is_held_by_caller() && has_thread_);
  first_roots_ = roots;
  tally_ = {.first_pause = first_pause};
  is_hurried_.store(false, std::memory_order_relaxed);
  collection_.set_program_runs(true);
  change_phase(Phase::marking);
}

void ConcurrentMarking::mark() {
  start_ = Clock::now();
  trace_.begin(TracePhase::mark_concurrently);
  // The order matters: an object that is allocated marked is allocated after its page was write-protected, so
  // writes to it show.
  claimed_.arm_all();
  clear_marks();
  collection_.mark_some(first_roots_);
  mark_uncollectable();
  mark_from_idle_stacks(TrackedStacks::Which::all);
  std::chrono::milliseconds patience = kPatience;
  do {
    mark_gathered();
    mark_from_stacks();
    remark_while_running();
    remark_in_stops();
    patience *= 2;
  } while (goes_on_when_left_alone(patience));
}

void ConcurrentMarking::clear_marks() {
  const CollectionTrace::Span clearing(trace_, TracePhase::clear_marks);
  for (std::size_t chunk = 0;; ++chunk) {
    const std::lock_guard lock(steps_);
    if (!heap_.clear_marks_while_allocating(chunk)) return;
  }
}

void ConcurrentMarking::mark_uncollectable() {
  heap::Heap::Place place;
  for (bool is_there = true; is_there;) {
    {
      const std::lock_guard lock(steps_);
      is_there = heap_.for_each_uncollectable_from(
          place, kPiece, [this](heap::Object* object) { roots_.append_reserved(object); });
    }
    mark_gathered();
  }
}

// Marks from stacks, so that the last pause need not: only a stack may lead to a large table that was
// allocated before its chunk's marks were cleared and is still being filled. Older objects are left to the
// pause, which scans stacks again: a dead word in a frame of the collector's could keep much.
void ConcurrentMarking::mark_from_stacks() {
  {
    const Stop stop(*this);
    const auto visit = [this](heap::Object* object) {
      if (rescans_.size() < kPiece && heap_.is_block_new(object)) mark_among_others(object);
    };
    const Clock::time_point deadline = stop.deadline();
    threads_.for_each_root(0, StackState::holds_none, {}, [&](ThreadRegistry::RootPlace, heap::Words words) {
      if (Clock::now() < deadline) heap::for_each_slot_in_stack(words, heap_.map(), visit);
    });
  }
  mark_gathered();
  threads_.stops().wake_resumed();
}

// The last pause scans stacks that refer to more unmarked objects than there is room for.
void ConcurrentMarking::mark_from_idle_stacks(TrackedStacks::Which which) {
  const auto mark = [this](heap::Words words) {
    bool has_room = true;
    heap::for_each_slot_in_stack(words, heap_.map(), [&](heap::Object* object) {
      if (heap::Chunk::of(object)->is_marked(object)) return;
      has_room = has_room && roots_.size() < kPiece;
      if (has_room) roots_.append_reserved(object);
    });
    return has_room;
  };
  std::uintptr_t next = 0;
  while (stacks_.scan_some(which, next, dirty_bytes_, mark)) {
    if (roots_.size() >= kPiece / 2) mark_gathered();
    if (which == TrackedStacks::Which::changed && is_hurried()) break;
  }
  mark_gathered();
}

// Re-marks from dirty pages, pass by pass, until the rest fits into the pause or the passes no longer halve.
void ConcurrentMarking::remark_while_running() {
  if (!tracking_.arms_while_running()) return;
  std::uint64_t before = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t round = 1; round <= kMostRounds && !is_hurried(); ++round) {
    visit_dirty();
    mark_from_idle_stacks(TrackedStacks::Which::changed);
    ++tally_.rounds;
    if (dirty_bytes_ <= affordable_bytes() || dirty_bytes_ >= before / 2) return;
    before = dirty_bytes_;
  }
}

// Re-marks from dirty pages in stops of the program, a pass by several stops. If a pass finds at least half
// of what the one before did, the program runs for half as long between stops; once that time is shortest,
// twice as much is left to the pause instead, since a longer pause does less harm than endless stops.
void ConcurrentMarking::remark_in_stops() {
  const base::ShortTurns short_turns;
  std::uint64_t before = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t gap_divisor = kGapDivisor;
  std::uint64_t times_affordable = 1;
  // The program ran for these times since this pass began, and from the beginning of the pass before to that
  // of this one.
  Milliseconds ran{0};
  Milliseconds ran_before{0};
  Clock::time_point runs_since = pass_start_;
  for (bool begins = true;;) {
    {
      const Stop stop(*this);
      if (is_hurried()) return leave_marking(dirty_bytes_);
      ran += Clock::now() - runs_since;
      if (std::exchange(begins, false)) {
        ran_before = std::exchange(ran, Milliseconds(0));
        begin_pass();
      }
      if (visit_some(stop.deadline())) {
        if (dirty_bytes_ >= before / 2) {
          if (gap_divisor < kMostGapDivisor) {
            gap_divisor *= 2;
          } else {
            times_affordable *= 2;
          }
        }
        before = dirty_bytes_;
        const std::uint64_t expected = expected_dirty_bytes(ran / std::max(ran_before, kNoTime));
        if (is_little(expected, times_affordable)) return leave_marking(expected);
        begins = true;
      }
      runs_since = Clock::now();
    }
    mark_gathered();
    await_end_of(Phase::marking, stop_time() / gap_divisor);
    threads_.stops().wake_resumed();
  }
}

void ConcurrentMarking::begin_pass() {
  claimed_.begin_pass();
  dirty_bytes_ = 0;
  pass_start_ = Clock::now();
}

// Returns the dirty bytes to expect in the pause, at the end of a pass. `part` is the time for which the
// program ran during this pass, relative to that in which it wrote what the pass found. The root is taken
// because a program writes many pages more than once.
std::uint64_t ConcurrentMarking::expected_dirty_bytes(double part) const {
  return static_cast<std::uint64_t>(static_cast<double>(dirty_bytes_) * __builtin_sqrt(part));
}

// Whether the pause would then take at most `times` times its target.
bool ConcurrentMarking::is_little(std::uint64_t dirty_bytes, std::uint64_t times) {
  return dirty_bytes <= affordable_bytes() * times && rescans_.size() <= kLeastFound * times;
}

// Claims dirty pages and visits them, in a stop, until the deadline or until enough is gathered to mark from.
// Returns whether the pass is over.
bool ConcurrentMarking::visit_some(Clock::time_point deadline) {
  while (!claimed_.is_pass_over()) {
    if (claimed_.waiting().empty()) claimed_.claim_some(deadline);
    visit_claimed(deadline);
    if (Clock::now() >= deadline || has_gathered_enough()) return claimed_.is_pass_over();
  }
  return true;
}

// Visits claimed pages on all mark threads until the deadline, but the first batch in any case.
void ConcurrentMarking::visit_claimed(Clock::time_point deadline) {
  const std::span<const base::AddressRange> pieces = claimed_.waiting();
  const auto batches = static_cast<std::uint32_t>((pieces.size() + kBatch - 1) / kBatch);
  // Relaxed, both: a total, read when all threads are done.
  std::atomic<std::int64_t> nanoseconds{0};
  const auto visit_batch = [&](std::uint32_t batch) {
    const Clock::time_point start = Clock::now();
    const std::size_t first = batch * kBatch;
    visit_pieces(pieces.subspan(first, std::min(kBatch, pieces.size() - first)));
    nanoseconds.fetch_add((Clock::now() - start).count(), std::memory_order_relaxed);
  };
  const auto is_enough = [&] { return Clock::now() >= deadline || has_gathered_enough(); };
  const std::uint64_t bytes_before = dirty_bytes_;
  const std::uint32_t visited = share_until(collection_.engine().marker(), batches, is_enough, visit_batch);
  claimed_.visited(std::min(pieces.size(), visited * kBatch));
  note_visits(dirty_bytes_ - bytes_before,
              std::chrono::nanoseconds(nanoseconds.load(std::memory_order_relaxed)));
}

void ConcurrentMarking::visit_pieces(std::span<const base::AddressRange> pieces) {
  DirtyPages visit(*this, [this](heap::Object* object) { mark_among_others(object); });
  for (const base::AddressRange piece : pieces) visit(piece);
}

// Updates the scan rate: all mark threads together took `visiting` for these bytes.
void ConcurrentMarking::note_visits(std::uint64_t visited_bytes, Milliseconds visiting) {
  const auto bytes = static_cast<double>(visited_bytes);
  const Milliseconds best(bytes / kVisitedPerMillisecond);
  const Milliseconds time = std::clamp(visiting, best, best * kMostTimesSlower);
  time_of_byte_ = (time_of_byte_ * kVisitsKnown + time) / (kVisitsKnown + bytes);
}

// Returns how many bytes of dirty pages can be visited within the pause target, after queries; at least a
// quarter of the target counts.
std::uint64_t ConcurrentMarking::affordable_bytes() {
  const Milliseconds target = Milliseconds(stop_time()) * marker_count();
  const Milliseconds visiting = std::max(target - asking_time_of_part_ * ranges_.part_count(), target / 4);
  return static_cast<std::uint64_t>(visiting / time_of_byte_);
}

// Ends the marking, in a stop. If it was hurried, claimed pages may still wait. They are write-protected
// again, so that their earlier writes would be lost: they are visited first.
void ConcurrentMarking::leave_marking(std::uint64_t expected_dirty_bytes) {
  while (!claimed_.waiting().empty()) visit_claimed(Clock::time_point::max());
  expected_dirty_bytes_ = expected_dirty_bytes;
  tally_.marking = Clock::now() - start_;
  heap_.lock_out_allocators();
  change_phase(Phase::marked);
}

// Waits in phase marked, and returns true when it went back to marking, since no thread ended the marking for
// `patience`.
bool ConcurrentMarking::goes_on_when_left_alone(std::chrono::milliseconds patience) {
  while (phase() == Phase::marked) {
    if (await_end_of(Phase::marked, patience) || !tracking_.arms_while_running()) continue;
    const std::lock_guard steps(steps_);
    const std::unique_lock lock(lock_, std::try_to_lock);
    if (!lock || phase() != Phase::marked) continue;
    heap_.budget().let_in();
    trace_.begin(TracePhase::mark_concurrently);
    change_phase(Phase::marking);
    return true;
  }
  return false;
}

// Visits all dirty pages once while the program runs.
void ConcurrentMarking::visit_dirty() {
  const CollectionTrace::Span remarking(trace_, TracePhase::remark);
  begin_pass();
  while (!claimed_.is_pass_over()) {
    claimed_.claim_some(Clock::time_point::max());
    DirtyPages visit(*this, [this](heap::Object* object) { add_root(object); });
    for (const base::AddressRange piece : claimed_.waiting()) visit(piece);
    claimed_.visited(claimed_.waiting().size());
  }
  mark_gathered();
}

// Prefetches what a visit to the first page reads first. The processor's own prefetcher detects the stream
// behind it.
void ConcurrentMarking::prefetch(base::AddressRange pages) {
  // A scattered page of 64-byte objects takes 1.0 us; with 64 lines 1.3, with none 1.4.
  constexpr std::size_t kLines = 16;
  const auto* const start = reinterpret_cast<const char*>(pages.begin);  // NOLINT(performance-no-int-to-ptr)
  const heap::Chunk* const chunk = heap::Chunk::of(start);
  base::prefetch_to_read(chunk->mark_address(start));
  base::prefetch_to_read(chunk->allocation_address(start));
  for (std::size_t line = 0; line < kLines; ++line)
    base::prefetch_to_read(start + line * base::kCacheLineBytes);
}

base::AddressRange ConcurrentMarking::words_of(const heap::Object* object, heap::BlockShape shape,
                                               base::AddressRange part) {
  const auto start = reinterpret_cast<std::uintptr_t>(object);
  if (shape.holds_slots()) return {start, start + shape.words() * heap::kWordBytes};
  if (heap::Chunk::of(object)->contents_of(object) != heap::Contents::words) return {start, start};
  return {std::max(start, part.begin), std::min(part.end, start + heap::Chunk::large_bytes_of(object))};
}

void ConcurrentMarking::add_root(heap::Object* object) {
  roots_.append_reserved(object);
  if (roots_.size() >= kPiece) mark_gathered();
}

// May be called on any mark thread, while the program is stopped and no thread visits objects.
void ConcurrentMarking::mark_among_others(heap::Object* object) {
  if (!heap::Chunk::of(object)->mark_shared(object) || HeapObjectModel::is_leaf(object)) return;
  const std::lock_guard lock(gathering_);
  if (rescans_.size() == kMostOfAStop) {
    collection_.visit_all_marked_later();
  } else {
    rescans_.append_reserved(HeapObjectModel::task_of(object));
  }
}

bool ConcurrentMarking::has_gathered_enough() {
  const std::lock_guard lock(gathering_);
  return rescans_.size() >= kPiece;
}

void ConcurrentMarking::add_rescan(MarkTask task) {
  rescans_.append_reserved(task);
  if (rescans_.size() >= kPiece) mark_gathered();
}

void ConcurrentMarking::mark_gathered() {
  if (roots_.empty() && rescans_.empty()) return;
  collection_.mark_again(roots_.span(), rescans_.span());
  roots_.clear();
  rescans_.clear();
}

void ConcurrentMarking::end_marking(MarkEngine& engine) {
  JACKDAW_CHECK(lock_.is_held_by_caller() && phase() == Phase::marked);
  collection_.set_program_runs(false);
  engine.marker().wake_helpers(static_cast<std::uint32_t>(expected_dirty_bytes_ / kDirtyBytesPerHelper) +
                               (ranges_.part_count() + stacks_.part_count()) / kChunksPerHelper);
  visit_dirty_in_pause(engine);
  note_dirty_stacks(engine);
  mark_gathered();
  const heap::KindTable& kinds = heap_.kinds();
  heap_.for_each_object_of(
      [&](heap::KindNumber kind) { return kinds[kind].contents == heap::Contents::by_kind; },
      [this](heap::Object* object) {
        if (heap::Chunk::of(object)->is_marked(object)) add_rescan(HeapObjectModel::task_of(object));
      });
  mark_gathered();
  heap_.end_marking();
}

// Pages need no write protection any more.
void ConcurrentMarking::visit_dirty_in_pause(MarkEngine& engine) {
  // They count nanoseconds of all mark threads. Relaxed, all: totals, read when the threads are done.
  std::atomic<std::int64_t> asking{0};
  std::atomic<std::int64_t> visiting{0};
  const auto visit_part = [&](std::uint32_t part) {
    std::chrono::nanoseconds visits{0};
    const Clock::time_point start = Clock::now();
    const Clock::time_point end_of_asking = visit_dirty_of(part, visits);
    visits += Clock::now() - end_of_asking;
    visiting.fetch_add(visits.count(), std::memory_order_relaxed);
    asking.fetch_add((Clock::now() - start - visits).count(), std::memory_order_relaxed);
  };
  dirty_bytes_ = 0;
  engine.marker().share(visit_part, ranges_.part_count());
  note_visits(dirty_bytes_, std::chrono::nanoseconds(visiting.load(std::memory_order_relaxed)));
  const Milliseconds asked = std::chrono::nanoseconds(asking.load(std::memory_order_relaxed));
  const Milliseconds of_part = asked / std::max(ranges_.part_count(), 1U);
  asking_time_of_part_ =
      asking_time_of_part_ == Milliseconds(0) ? of_part : (asking_time_of_part_ + of_part) / 2;
}

// The stacks are scanned with the other roots, but those that did not change are left out.
void ConcurrentMarking::note_dirty_stacks(MarkEngine& engine) {
  engine.marker().share([this](std::uint32_t part) { stacks_.note_dirty(part); }, stacks_.part_count());
  threads_.fibers().note_tracked();
}

// Visits the dirty pages of one part. Adds the time of the visits to `visits`, except for the last ones,
// which begin at the returned time.
ConcurrentMarking::Clock::time_point ConcurrentMarking::visit_dirty_of(std::uint32_t part,
                                                                       std::chrono::nanoseconds& visits) {
  DirtyPages visit(*this, [this](heap::Object* object) { mark_among_others(object); });
  const auto visit_timed = [&](base::AddressRange pages) {
    const Clock::time_point start = Clock::now();
    visit(pages);
    visits += Clock::now() - start;
  };
  std::uintptr_t unasked = tracking_.may_report_empty_pages() ? kMostUnqueried : ScannedRanges::kPartBytes;
  const auto visit_scanned = [&](base::AddressRange pages) {
    const std::uintptr_t bytes = pages.end - pages.begin;
    if (bytes > unasked && tracking_.for_each_dirty(pages, visit_timed)) return;
    unasked -= std::min(bytes, unasked);
    visit_timed(pages);
  };
  const auto visit_pages = [&](base::AddressRange pages) {
    ranges_.for_each_scanned_in(pages, visit_scanned);
  };
  ranges_.for_each_coarse_of(part, [&](base::AddressRange range) {
    if (tracking_.for_each_perhaps_dirty(range, visit_pages)) return;
    // The query fails for a new chunk that is not tracked yet: all of it counts as dirty.
    ranges_.for_each_scanned_in(range, visit_timed);
  });
  return Clock::now();
}

void ConcurrentMarking::sweep() {
  const CollectionTrace::Span sweeping(trace_, TracePhase::sweep_concurrently);
  // Writes matter only during a marking, so the write protection is lifted, also where a thread that needed
  // memory has swept already.
  ranges_.for_each_not_data([this](base::AddressRange range) { tracking_.disarm(range); });
  stacks_.disarm();
  for (;;) {
    const std::lock_guard lock(steps_);
    if (heap_.sweep_some()) return;
  }
}

void ConcurrentMarking::end_trace_of_cycle() {
  trace_.end(TracePhase::cycle);
  if (!trace_.is_on()) return;
  const std::lock_guard lock(lock_);
  const OwnWork own_work;
  trace_.write();
}

ConcurrentRecord ConcurrentMarking::record() const {
  return {.first_pause = tally_.first_pause,
          .marking = tally_.marking,
          .stops = tally_.stops,
          .longest_stop = tally_.longest_stop,
          .rounds = tally_.rounds,
          .written_bytes = dirty_bytes_};
}

void ConcurrentMarking::forget() {
  heap_.give_up_marking();
  collection_.set_program_runs(false);
  roots_.clear();
  rescans_.clear();
}

void ConcurrentMarking::give_up() {
  JACKDAW_CHECK(lock_.is_held_by_caller());
  forget();
  change_phase(Phase::idle);
}

void ConcurrentMarking::after_fork_in_child() {
  tracking_.after_fork_in_child();
  has_thread_ = false;
  ended_time_ = {};
  forget();
  set_phase(Phase::idle);
}

}  // namespace jackdaw::gc
