#include "gc/process/concurrent_marking.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <utility>

#include "base/prefetch.h"
#include "base/signals_blocked.h"
#include "gc/object_model.h"
#include "gc/process/own_work.h"
#include "gc/process/short_turns.h"
#include "gc/process/unmarked_references.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

namespace {

// Roots, and objects to visit again, are gathered in pieces of this size. In a stop of the program, where
// they are not marked from, each mark thread ends what it has begun.
constexpr std::size_t kPiece = 65536;
constexpr std::size_t kMostOfAStop = 4 * kPiece;

// At least so many bytes of written pages are visited in a millisecond.
constexpr double kVisitedPerMillisecond = 1 << 20;
constexpr std::uint32_t kMostRounds = 16;
// The pause takes about as long as so many stops at most, as the last pass did. For each two passes in a row
// that took no fewer than others before, one more is accepted.
constexpr std::uint32_t kStopsOfAPause = 4;
// Between two stops the program runs for so small a part of the time of a stop. With longer gaps it writes so
// much that it is stopped for longer altogether.
constexpr std::uint32_t kPartOfAStop = 8;
// So long nobody needs to allocate after the marking before it is looked again what was written; then longer.
constexpr std::chrono::milliseconds kPatience{10};
// As many mark threads visit pages in the pause as were written so often, in bytes, when it was asked last,
// and as there are so many parts to ask about.
constexpr std::uint64_t kWrittenOfAHelper = std::uint64_t{1} << 20;
constexpr std::uint32_t kPartsOfAHelper = 512;

}  // namespace

// With the collector's lock; then the program stands still.
class ConcurrentMarking::Stop {
 public:
  explicit Stop(ConcurrentMarking& marking) : marking_(marking), lock_(marking.lock_) {
    marking_.lock_.let_nobody_pass();
    marking_.trace_.begin(TracePhase::pause);
    const CollectionTrace::Span stopping(marking_.trace_, TracePhase::stop_threads);
    marking_.threads_.stop_others();
  }
  ~Stop() {
    marking_.threads_.resume_others();
    marking_.trace_.end(TracePhase::pause);
    if (marking_.phase() != Phase::marking) marking_.trace_.end(TracePhase::mark_concurrently);
    ++marking_.record_.stops;
    marking_.record_.longest_stop = std::max(marking_.record_.longest_stop, Clock::now() - start_);
  }
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  [[nodiscard]] Clock::time_point end_in_time() const { return start_ + marking_.stop_time(); }

 private:
  ConcurrentMarking& marking_;
  const std::lock_guard<StoppableMutex> lock_;
  const Clock::time_point start_ = Clock::now();
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
      stretches_(heap.map()) {
  roots_.reserve(kPiece + heap::kGranulesPerBlock);
  rescans_.reserve(kMostOfAStop);
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

void ConcurrentMarking::end_thread() {
  if (!has_thread_) return;
  // Relaxed: the change of the word that follows publishes it.
  is_ending_.store(true, std::memory_order_relaxed);
  change_phase(Phase::sweeping);
  pthread_join(thread_, nullptr);
  has_thread_ = false;
  change_phase(Phase::idle);
}

void* ConcurrentMarking::run_thread(void* self) {
  const OwnWork own_work;
  static_cast<ConcurrentMarking*>(self)->run();
  return nullptr;
}

void ConcurrentMarking::run() {
  for (;;) {
    const Phase now = phase();
    if (now == Phase::marking) {
      mark();
    } else if (now == Phase::sweeping) {
      // Relaxed: written before the phase.
      if (is_ending_.load(std::memory_order_relaxed)) return;
      sweep();
      end_trace_of_cycle();
      change_phase(Phase::idle);
    } else {
      await_end_of(now);
    }
  }
}

void ConcurrentMarking::change_phase(Phase phase) {
  // Release: pairs with the acquire in phase().
  phase_.value().store(static_cast<std::uint32_t>(phase), std::memory_order_release);
  phase_.wake_all();
}

bool ConcurrentMarking::start_tracking() {
  if (tracking_.start() == WriteTrackingMethod::none) return false;
  // All of the process's pages at once, which loses no write now.
  return tracking_.arms_while_running() || tracking_.arm({});
}

void ConcurrentMarking::start_marking(std::span<heap::Object* const> roots) {
  first_roots_ = roots;
  collection_.set_program_runs(true);
  change_phase(Phase::marking);
}

void ConcurrentMarking::mark() {
  start_ = Clock::now();
  trace_.begin(TracePhase::mark_concurrently);
  // In this order: an object that is allocated marked is so after its page was armed, and writing it shows.
  arm_pages();
  clear_marks();
  collection_.mark_some(first_roots_);
  mark_uncollectable();
  std::chrono::milliseconds patience = kPatience;
  do {
    mark_gathered();
    catch_up_running();
    catch_up_with_stops();
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

void ConcurrentMarking::arm_pages() {
  if (!tracking_.arms_while_running()) return;
  stretches_.for_each([this](AddressRange stretch) { arm(stretch); });
}

// Where that fails, all of the stretch counts as written. A chunk is watched as a whole, when it was not yet:
// that keeps all threads from touching new pages for a moment.
void ConcurrentMarking::arm(AddressRange stretch) {
  if (tracking_.arm({&stretch, 1})) return;
  if (tracking_.watch(stretches_.chunk_of(stretch))) tracking_.arm({&stretch, 1});
}

void ConcurrentMarking::mark_uncollectable() {
  heap::Heap::Place place;
  for (bool is_there = true; is_there;) {
    {
      const std::lock_guard lock(steps_);
      is_there = heap_.for_each_uncollectable_from(
          place, kPiece, [this](heap::Object* object) { roots_.push_back(object); });
    }
    mark_gathered();
  }
}

// Until what is left fits into a stop.
void ConcurrentMarking::catch_up_running() {
  if (!tracking_.arms_while_running()) return;
  const std::chrono::duration<double, std::milli> time = stop_time() / 2;
  const auto affordable = static_cast<std::uint64_t>(time.count() * kVisitedPerMillisecond);
  std::uint64_t before = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t round = 1; round <= kMostRounds; ++round) {
    visit_written();
    ++record_.rounds;
    if (record_.written_bytes <= affordable || record_.written_bytes >= before / 2) return;
    before = record_.written_bytes;
  }
}

// In passes over the heap: each stop goes on where the one before ended. The program has little time between
// stops to write, so that passes become shorter, until the last pause takes no longer than a few stops, or
// until that does not help any more. What is found in a stop is marked from after it.
void ConcurrentMarking::catch_up_with_stops() {
  const ShortTurns short_turns;
  next_part_ = 0;
  std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t passes_in_vain = 0;
  for (std::uint32_t stops = 1;; ++stops) {
    bool is_over = false;
    {
      const Stop stop(*this);
      is_over = !tracking_.arms_while_running() || end_pass_until(stop.end_in_time());
      if (is_over) passes_in_vain = stops < fewest ? 0 : passes_in_vain + 1;
      if (is_over && stops <= kStopsOfAPause + passes_in_vain / 2) return leave_marking();
    }
    mark_gathered();
    if (is_over) fewest = std::min(fewest, std::exchange(stops, 0));
    await_end_of(Phase::marking, stop_time() / kPartOfAStop);
  }
}

// Visits what was written, by all mark threads, from next_part_ on. Whether it came to the end of the heap.
bool ConcurrentMarking::end_pass_until(Clock::time_point deadline) {
  record_.written_bytes = 0;
  const std::uint32_t first = next_part_;
  // Relaxed, all: parts are taken in order, and nobody visits one behind the end that it saw or set.
  std::atomic<std::uint32_t> end{stretches_.part_count()};
  const auto visit = [&](std::uint32_t number) {
    const std::uint32_t part = first + number;
    std::uint32_t before = end.load(std::memory_order_relaxed);
    if (part >= before) return;
    if (number == 0 || (Clock::now() < deadline && !has_gathered_enough()))
      return visit_written_of(part, true);
    while (part < before && !end.compare_exchange_weak(before, part, std::memory_order_relaxed)) continue;
  };
  const std::uint32_t parts = end.load(std::memory_order_relaxed);
  collection_.marking().share_with_all(visit, parts - std::min(parts, first));
  next_part_ = end.load(std::memory_order_relaxed);
  if (next_part_ < parts) return false;
  next_part_ = 0;
  return true;
}

// In a stop.
void ConcurrentMarking::leave_marking() {
  record_.marking = Clock::now() - start_;
  heap_.lock_out_allocators();
  change_phase(Phase::marked);
}

// Phase marked: whether it is marking again, since nobody ended it for so long.
bool ConcurrentMarking::goes_on_when_left_alone(std::chrono::milliseconds patience) {
  while (phase() == Phase::marked) {
    if (await_end_of(Phase::marked, patience) || !tracking_.arms_while_running()) continue;
    const std::lock_guard steps(steps_);
    const std::unique_lock lock(lock_, std::try_to_lock);
    if (!lock || phase() != Phase::marked) continue;
    heap_.let_allocators_in();
    trace_.begin(TracePhase::mark_concurrently);
    change_phase(Phase::marking);
    return true;
  }
  return false;
}

void ConcurrentMarking::visit_written() {
  const CollectionTrace::Span catching_up(trace_, TracePhase::catch_up);
  record_.written_bytes = 0;
  for (std::uint32_t part = 0; part < stretches_.part_count(); ++part) visit_written_of(part, false);
  mark_gathered();
}

// Of a part of the heap. While the program stands still, any mark thread.
void ConcurrentMarking::visit_written_of(std::uint32_t part, bool stands_still) {
  std::uint64_t written = 0;
  UnmarkedReferences unmarked(heap_.map(), [=, this](heap::Object* object) {
    stands_still ? mark_among_others(object) : add_root(object);
  });
  const bool arms = tracking_.arms_while_running();
  AddressRange next;
  const auto visit = [&](AddressRange pages) {
    written += pages.end - pages.begin;
    prefetch(pages);
    visit_pages(std::exchange(next, pages), unmarked);
  };
  stretches_.for_each_of(part, [&](AddressRange stretch) {
    if (arms ? tracking_.take_written(stretch, visit) : tracking_.for_each_written(stretch, visit)) return;
    // All that lies in a chunk that came lately was written.
    if (arms) arm(stretch);
    visit(stretch);
  });
  visit_pages(next, unmarked);
  // Relaxed: a total.
  if (written != 0) std::atomic_ref(record_.written_bytes).fetch_add(written, std::memory_order_relaxed);
}

// What a visit to the first page reads first. The processor finds out by itself that it goes on behind it.
void ConcurrentMarking::prefetch(AddressRange pages) {
  // Measured with scattered pages of 64-byte objects: 1.0 us a page, with 64 lines 1.3, without 1.4.
  constexpr std::size_t kLines = 16;
  const auto* const start = reinterpret_cast<const char*>(pages.begin);  // NOLINT(performance-no-int-to-ptr)
  const heap::Chunk* const chunk = heap::Chunk::of(start);
  base::prefetch_to_read(chunk->mark_address(start));
  base::prefetch_to_read(chunk->allocation_address(start));
  for (std::size_t line = 0; line < kLines; ++line)
    base::prefetch_to_read(start + line * base::kCacheLineBytes);
}

// The words of marked objects, block by block; of large ones as far as they lie on these pages. Objects of
// kinds with layouts are all visited when the program has stopped.
template <typename Unmarked>
void ConcurrentMarking::visit_pages(AddressRange pages, Unmarked& unmarked) {
  AddressRange words{pages.begin, pages.begin};  // of neighbouring objects
  const auto scan_words = [&] { unmarked.scan(heap::whole_words_between(words.begin, words.end)); };
  for (AddressRange part{pages.begin, pages.begin}; part.begin < pages.end; part.begin = part.end) {
    part.end = std::min(pages.end, (part.begin | (heap::kBlockBytes - 1)) + 1);
    const heap::BlockShape shape = heap_.map().shape_at(part.begin);
    if (!shape.is_large() && shape.words() == 0) continue;
    heap_.for_each_marked_between(part.begin, part.end, [&](heap::Object* object) {
      const AddressRange found = words_of(object, shape, part);
      if (found.begin != words.end) {
        scan_words();
        words.begin = found.begin;
      }
      words.end = found.end;
    });
  }
  scan_words();
}

AddressRange ConcurrentMarking::words_of(const heap::Object* object, heap::BlockShape shape,
                                         AddressRange part) {
  const auto start = reinterpret_cast<std::uintptr_t>(object);
  if (shape.holds_slots()) return {start, start + shape.words() * heap::kWordBytes};
  if (heap::Chunk::of(object)->contents_of(object) != heap::Contents::words) return {start, start};
  return {std::max(start, part.begin), std::min(part.end, start + heap::Chunk::large_bytes_of(object))};
}

void ConcurrentMarking::add_root(heap::Object* object) {
  roots_.push_back(object);
  if (roots_.size() >= kPiece) mark_gathered();
}

// Any mark thread, while the program stands still and nobody visits objects.
void ConcurrentMarking::mark_among_others(heap::Object* object) {
  if (!heap::Chunk::of(object)->mark_shared(object) || HeapObjectModel::is_leaf(object)) return;
  const std::lock_guard lock(gathering_);
  if (rescans_.size() == kMostOfAStop) {
    collection_.visit_all_marked_later();
  } else {
    rescans_.push_back(HeapObjectModel::task_of(object));
  }
}

bool ConcurrentMarking::has_gathered_enough() {
  const std::lock_guard lock(gathering_);
  return rescans_.size() >= kPiece;
}

void ConcurrentMarking::add_rescan(MarkTask task) {
  rescans_.push_back(task);
  if (rescans_.size() >= kPiece) mark_gathered();
}

void ConcurrentMarking::mark_gathered() {
  if (roots_.empty() && rescans_.empty()) return;
  collection_.mark_again(roots_, rescans_);
  roots_.clear();
  rescans_.clear();
}

void ConcurrentMarking::end_marking(Marking& marking) {
  collection_.set_program_runs(false);
  marking.wake_helpers(static_cast<std::uint32_t>(record_.written_bytes / kWrittenOfAHelper) +
                       stretches_.part_count() / kPartsOfAHelper);
  record_.written_bytes = 0;
  marking.share([this](std::uint32_t part) { visit_written_of(part, true); }, stretches_.part_count());
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

void ConcurrentMarking::sweep() {
  const CollectionTrace::Span sweeping(trace_, TracePhase::sweep_concurrently);
  // Only what is written while objects are marked need be known.
  stretches_.for_each([this](AddressRange stretch) { tracking_.disarm(stretch); });
  for (;;) {
    const std::lock_guard lock(steps_);
    if (heap_.sweep_some()) return;
  }
}

void ConcurrentMarking::end_trace_of_cycle() {
  trace_.end(TracePhase::cycle);
  if (!trace_.is_on()) return;
  const std::lock_guard lock(lock_);
  trace_.write();
}

void ConcurrentMarking::give_up() {
  heap_.end_marking();
  collection_.set_program_runs(false);
  roots_.clear();
  rescans_.clear();
  change_phase(Phase::idle);
}

void ConcurrentMarking::after_fork_in_child() {
  tracking_.after_fork_in_child();
  has_thread_ = false;
  give_up();
}

}  // namespace jackdaw::gc
