#include "gc/process/process_collector.h"
#include "gc/process/dump_preparation.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <new>
#include <span>
#include <utility>

#include "base/cancellation.h"
#include "base/check.h"
#include "base/own_descriptor.h"
#include "base/page_memory.h"
#include "base/stress.h"
#include "base/valgrind.h"
#include "base/warn.h"
#include "gc/marking/candidate_picker.h"
#include "gc/process/poisoning.h"
#include "gc/process/threads/own_work.h"
#include "gc/process/threads/stack_pointer.h"
#include "gc/process/threads_stopped.h"
#include "heap/leak_sanitizer.h"

// Whose collector there is. Where several shared libraries of a process hold this code, as libjackdaw.so and
// libgc.so.1, the loader gives them all one variable.
extern "C" {
[[gnu::visibility("default")]] constinit std::atomic<const void*> jackdaw_owner{nullptr};
}

namespace jackdaw::gc {

namespace {

using Clock = std::chrono::steady_clock;

// Two collectors would take the stop signal, and the threads, from one another.
void claim_process(const void* owner) {
  const void* other = nullptr;
  // Relaxed: the collector itself is published elsewhere.
  if (jackdaw_owner.compare_exchange_strong(other, owner, std::memory_order_relaxed)) return;
  if (other == owner) return;  // the memory did not suffice then
  base::warn(
      "libjackdaw.so and libgc.so.1 are both used in this process, which can have one collector alone: link "
      "everything with one of them");
  std::_Exit(2);
}

// By the calling thread. To make the collector while it is made would wait for ever.
class Making {
 public:
  Making() {
    if (is_under_way_) {
      base::warn("operator new or malloc needs more than memory of the collector that starts");
      std::abort();
    }
    is_under_way_ = true;
  }
  ~Making() { is_under_way_ = false; }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

 private:
  static constinit thread_local bool is_under_way_;
};

constinit thread_local bool Making::is_under_way_ = false;

// The handlers around every fork, which the forking thread calls.
class Fork {
 public:
  static void prepare() {
    // One that making the collector leads to finds the lock held.
    waits_for_start_ = !ProcessCollector::starting().is_held_by_caller();
    if (!waits_for_start_) return;
    ProcessCollector::starting().lock();
    if (ProcessCollector* const made = prepared()) made->prepare_fork();
  }
  static void end_in_parent() {
    if (!waits_for_start_) return;
    if (ProcessCollector* const made = prepared()) made->after_fork_in_parent();
    ProcessCollector::starting().unlock();
  }
  static void end_in_child() {
    if (!waits_for_start_) return;
    if (ProcessCollector* const made = prepared()) made->after_fork_in_child();
    ProcessCollector::starting().forget_queue();
    ProcessCollector::starting().unlock();
  }

 private:
  // Null when there is nothing to prepare. The lock is held from prepare() on, so each call says the same.
  static ProcessCollector* prepared() {
    ProcessCollector* const made = ProcessCollector::if_made();
    return made != nullptr && made->handles_fork() ? made : nullptr;
  }

  static constinit thread_local bool waits_for_start_;
};

constinit thread_local bool Fork::waits_for_start_ = false;

// From when this code is loaded on: a fork that is under way when a handler is added does not call it.
const bool kForkIsMissed = [] {
  const OwnWork own_work;
  return pthread_atfork(Fork::prepare, Fork::end_in_parent, Fork::end_in_child) != 0;
}();

// The workers' part of the trace.
MarkingOptions noted_in(CollectionTrace& trace, MarkingOptions options) {
  options.engine.time_line = trace.workers();
  return options;
}

}  // namespace

constinit StoppableMutex ProcessCollector::starting_;

ProcessOptions& ProcessCollector::initial_options() {
  const NestedLock lock(starting_);
  static ProcessOptions options = [] {
    const OwnWork own_work;
    return default_options();
  }();
  return options;
}

constinit std::atomic<ProcessCollector*> ProcessCollector::instance_{nullptr};

// In pages of its own, not in static data: its tables hold addresses of objects, which must not be roots.
ProcessCollector& ProcessCollector::make_instance() {
  const Making making;
  const OwnWork own_work;
  // The loader runs code of others: no lock is held yet that they may want.
  if (secure_getenv("JACKDAW_DUMP") != nullptr) HeapDumps::load_compressor();
  const NestedLock lock(starting_);
  if (ProcessCollector* const made = if_made()) return *made;
  claim_process(&instance_);
  const std::span<std::byte> memory = base::PageMemory::allocate(sizeof(ProcessCollector));
  if (memory.empty()) throw std::bad_alloc();
  heap::show_to_leak_sanitizer(memory);
  const ProcessOptions options = options_from_environment(initial_options());
  // Now there may be one thread only, and the program does not stand still.
  if (options.marks_concurrently == MarksConcurrently::always) base::OwnDescriptor::make_room();
  auto* const made = new (memory.data()) ProcessCollector(options);
  made->this_thread();
  // Release: pairs with the acquire in instance.
  instance_.store(made, std::memory_order_release);
  return *made;
}

ProcessCollector::ProcessCollector(const ProcessOptions& options)
    : handles_fork_(options.handles_fork),
      heap_(options.heap_limit_bytes, memory_nodes(options.memory)),
      trace_(options.trace_path, options.marking.engine.threads),
      threads_(heap_, trace_, options.stop_patience, options.marking.engine.processors),
      dumps_(options.stop_patience),
      verifies_(options.verifies),
      marking_(noted_in(trace_, options.marking), OwnMemory::is_used()),
      weak_references_(heap_.map()),
      collection_(heap_, &weak_references_),
      concurrent_(heap_, collection_, collecting_, threads_, trace_, options.pause_target),
      processors_(options.marking.engine.processors),
      may_mark_concurrently_(options.marks_concurrently != MarksConcurrently::never),
      is_asked_to_mark_concurrently_(options.marks_concurrently == MarksConcurrently::always),
      marks_concurrently_(is_asked_to_mark_concurrently_),
      marks_unasked_(options.marks_concurrently == MarksConcurrently::by_default &&
                     options.marking.engine.processors > 1),
      most_concurrent_markers_(options.concurrent_markers != 0
                                   ? options.concurrent_markers
                                   : std::max(1U, options.marking.engine.processors / 4)),
      growth_(options.growth),
      weak_processing_(collection_) {
  if (options.stress_seed != 0) base::Stress::turn_on(options.stress_seed);
  if (options.poisons) heap_.poison().turn_on(Poisoning::tell);
  // The memory that every collection needs is reserved now: it may have run out when one starts.
  collection_.begin(marking_.for_heap_of(0));
  if (roots_.empty() || !static_roots_.reserve()) throw std::bad_alloc();
  for (const heap::Kind& kind : ProcessKinds::kAdded) heap_.add_kind(kind);
  heap_.set_all_addresses_keep(options.all_interior_pointers);
  if (options.starts_disabled) disable();
  if (options.log_collections) log_.emplace(options.log_path, options.log_spelling);
  if (!options.dump_path.empty()) dumps_.set(options.dump_path, options.dump_signal);
  // Else to start it may wait for a thread that waits for the collector.
  if (marks_concurrently() && OwnMemory::is_used()) start_concurrent_thread();
  if (handles_fork_ && kForkIsMissed) throw std::bad_alloc();
  apply_growth();
}

ProcessThread& ProcessCollector::this_thread() {
  ProcessThread* const thread = ThreadRegistry::current();
  return thread != nullptr ? *thread : threads_.register_current();
}

void* ProcessCollector::try_to_allocate(ProcessThread& thread, heap::Allocator& allocator,
                                        const Request& request) {
  const ThreadRegistry::CriticalSection critical(thread);
  if (request.addresses == heap::LargeAddresses::near_start)
    return heap_.allocate_large(request.bytes, request.kind, request.addresses);
  return allocator.allocate_plain(std::max<std::size_t>(request.bytes, 1), request.kind);
}

// For a callback that runs with the lock held: no collection can come.
void* ProcessCollector::allocate_in_callback(ProcessThread& thread, const Request& request) {
  const heap::BeyondBudget beyond_budget;
  if (!stands_still_) return try_to_allocate(thread, request);
  if (!made_in_pause_.reserve(made_in_pause_.size() + 1)) return nullptr;
  void* const object = try_to_allocate(thread, pause_allocator_, request);
  if (object == nullptr || !made_in_pause_.append(static_cast<heap::Object*>(object))) return nullptr;
  return object;
}

// The threads stand still. From now on what callbacks allocate is made in blocks of its own.
void ProcessCollector::begin_pause() {
  JACKDAW_CHECK(collecting_.is_held_by_caller() && !stands_still_);
  stands_still_ = true;
  heap::Heap::lock_out(this_thread().allocator());
}

// Marks what objects refer to that callbacks made in this pause: they are marked, but were not visited.
void ProcessCollector::scan_made_in_pause() {
  for (heap::Object* const object : made_in_pause_.span()) {
    if (heap::Chunk::of(object)->contents_of(object) == heap::Contents::data) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(object);
    scan(heap::whole_words_between(begin, begin + heap::Heap::bytes_of(object)));
  }
}

void ProcessCollector::end_pause() {
  stands_still_ = false;
  if (made_in_pause_.size() == 0) return;
  made_in_pause_.clear();
  heap_.take_back_blocks(pause_allocator_);
}

void* ProcessCollector::allocate_from_block(std::size_t bytes, heap::KindNumber kind) {
  // Relaxed: a registered thread knows it.
  if (instance_.load(std::memory_order_relaxed)->collecting_.is_held_by_caller()) return nullptr;
  if (base::Stress::is_on()) [[unlikely]]
    return nullptr;  // so that the collector is asked
  ProcessThread& thread = *ThreadRegistry::current();
  const ThreadRegistry::CriticalSection critical(thread);
  return thread.allocator().allocate_from_block(bytes, kind);
}

// Here the program's stack ends, for the collection that may come, and its registers are saved: in the
// collector's own frames there may be what is left of the program's earlier calls, which shall keep nothing.
void* ProcessCollector::allocate_slowly(std::size_t bytes, heap::KindNumber kind,
                                        heap::LargeAddresses addresses) {
  void* object = allocate_requested({bytes, kind, addresses, stack_pointer_below_registers()});
  asm volatile("" : "+r"(object));  // no tail call: this frame stays
  return object;
}

void* ProcessCollector::allocate_requested(const Request& request) {
  ProcessThread& thread = this_thread();
  if (collecting_.is_held_by_caller()) return allocate_in_callback(thread, request);
  if (base::Stress::is_on()) [[unlikely]]
    collect_at_random();
  for (;;) {
    // Relaxed: another thread's collection is known by its number alone; what it freed is learnt under the
    // heap's lock.
    const std::uint64_t collections = collections_.load(std::memory_order_relaxed);
    if (void* const object = try_to_allocate(thread, request)) return object;
    const auto object = collect_and_allocate(thread, request, collections);
    destructors_.run(*this);
    if (object) return *object;
  }
}

// Nothing when another thread's collection came first; null when there is no memory.
std::optional<void*> ProcessCollector::collect_and_allocate(ProcessThread& thread, const Request& request,
                                                            std::uint64_t unless_after) {
  const std::lock_guard lock(collecting_);
  // Relaxed: written under this lock.
  if (collections_.load(std::memory_order_relaxed) != unless_after) return std::nullopt;
  if (!heap_.may_hold(request.bytes)) return nullptr;
  if (void* const object = allocate_within_new_budget(thread, request)) return object;
  if (may_have_cycles()) {
    try {
      if (const auto answer = go_on_concurrently(thread, request)) return *answer;
    } catch (const std::bad_alloc&) {
      return allocate_beyond_budget(thread, request);  // with what there is
    }
  }
  void* object = nullptr;
  do {
    const CollectionReason reason = reason_of_refusal(request.bytes, growth_.budget_while_growing(found_));
    try {
      if (is_worth_a_collection(reason) && may_collect(hooks_.declines))
        collect_locked(reason, {request.stack_pointer});
    } catch (const std::bad_alloc&) {  // then with what there is
    }
    object = allocate_beyond_budget(thread, request);
    refusals_ = object == nullptr ? refusals_ + 1 : 0;
  } while (object == nullptr && refusals_ <= growth_.more_collections_when_exhausted);
  tell_heap_size();
  return object;
}

// The budget knows of uncounted bytes only here. Null when that does not help.
void* ProcessCollector::allocate_within_new_budget(ProcessThread& thread, const Request& request) {
  const std::uint64_t now = uncounted_bytes();
  const std::uint64_t grown = now - std::min(now, uncounted_before_);
  if (std::exchange(found_.new_uncounted_bytes, grown) >= grown ||
      reason_of_refusal(request.bytes, growth_.budget_while_growing(found_)) !=
          CollectionReason::out_of_memory)
    return nullptr;
  set_budget();
  return try_to_allocate(thread, request);
}

// When memory is exhausted, a collection that finds none comes again only when there may be garbage that was
// not there before: an eighth of what is live was allocated since, or else, since objects may have been
// dropped all the same, after 1, 2, 4, 8 and so on refusals.
bool ProcessCollector::is_worth_a_collection(CollectionReason reason) const {
  constexpr std::uint64_t kWorthwhilePart = 8;
  if (reason != CollectionReason::out_of_memory || refusals_ <= growth_.more_collections_when_exhausted)
    return true;
  return heap_.allocated_bytes() > live_bytes() / kWorthwhilePart || std::has_single_bit(refusals_);
}

// Grants an allocation that the budget alone refuses, to this thread only: others allocate, too. Allocation
// beyond the budget triggers no collection of its own.
void* ProcessCollector::allocate_beyond_budget(ProcessThread& thread, const Request& request) {
  const heap::BeyondBudget beyond_budget;
  void* const object = try_to_allocate(thread, request);
  apply_finalizers();
  set_budget(growth_.minimum_budget_bytes);
  return object;
}

bool ProcessCollector::may_collect(int (*declines)()) const {
  return !is_disabled() && (declines == nullptr || declines() == 0);
}

void ProcessCollector::free(void* object) {
  ProcessThread& thread = this_thread();
  auto* const start = static_cast<heap::Object*>(object);
  const std::size_t bytes = heap::Heap::bytes_of(start);
  const ThreadRegistry::CriticalSection critical(thread);
  thread.allocator().free(start);
  count_freed(bytes);
}

namespace {

// Bytes that a thread freed since the collection with that number and has not reported yet.
struct Untold {
  std::uint64_t bytes;
  std::uint64_t collection;

  // None from before the last collection.
  std::uint64_t& since(std::uint64_t last_collection) {
    if (collection != last_collection) *this = {0, last_collection};
    return bytes;
  }
};
constinit thread_local Untold untold{};

}  // namespace

// Seldom to the number that all threads share. What a thread has not yet told when it ends is not told.
void ProcessCollector::count_freed(std::uint64_t bytes) {
  std::uint64_t& own = untold.since(collections());
  own += bytes;
  if (own < heap::kBlockBytes) return;
  // Relaxed: a total that publishes nothing.
  freed_bytes_.fetch_add(own, std::memory_order_relaxed);
  own = 0;
}

std::uint64_t ProcessCollector::freed_bytes() const {
  return freed_bytes_.load(std::memory_order_relaxed) + untold.since(collections());
}

void ProcessCollector::count_allocated_elsewhere(std::uint64_t bytes) {
  look_at_heap([bytes](heap::Heap& heap) { heap.count_allocated_elsewhere(bytes); });
}

void ProcessCollector::count_freed_elsewhere(std::uint64_t bytes) {
  look_at_heap([bytes](heap::Heap& heap) { heap.count_freed_elsewhere(bytes); });
  // Relaxed: a total that publishes nothing.
  freed_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

bool ProcessCollector::resize_in_place(void* object, std::size_t bytes) {
  auto* const start = static_cast<heap::Object*>(object);
  const std::size_t before = heap::Heap::bytes_of(start);
  if (before <= heap::kLargestSmallBytes) return bytes <= before;
  const ThreadRegistry::CriticalSection critical(this_thread());
  return heap_.resize_large(start, bytes);
}

void ProcessCollector::add_displacement(std::size_t offset) {
  this_thread();
  const std::lock_guard lock(collecting_);
  // What was visited already was searched without it.
  end_cycle();
  heap_.displacements().add(offset);
}

std::optional<heap::KindNumber> ProcessCollector::add_kind(const heap::Kind& kind) {
  const ThreadRegistry::CriticalSection critical(this_thread());
  return heap_.add_kind(kind);
}

CollectionTotals ProcessCollector::collect(CollectionReason reason, StackState stack) {
  this_thread();
  CollectionTotals result;
  {
    const std::lock_guard lock(collecting_);
    const OwnStack own_stack{stack_pointer_below_registers(), stack};
    end_cycle();
    result = collect_locked(reason, own_stack);
  }
  destructors_.run(*this);
  return result;
}

bool ProcessCollector::collect_unless(int (*declines)()) {
  this_thread();
  {
    const std::lock_guard lock(collecting_);
    const OwnStack own_stack{stack_pointer_below_registers()};
    if (!may_collect(declines)) return false;
    end_cycle();
    collect_locked(CollectionReason::request, own_stack);
  }
  destructors_.run(*this);
  return true;
}

// Whether as much was allocated as was to be, but for a block.
bool ProcessCollector::is_due() {
  return heap_.allocated_bytes() + heap::kBlockBytes > planned_budgets().all;
}

// Why so many bytes were refused, with so many to allocate before the heap grows.
CollectionReason ProcessCollector::reason_of_refusal(std::size_t bytes, std::uint64_t budget) const {
  if (heap_.allocated_bytes() + std::max(bytes, heap::kBlockBytes) > budget)
    return CollectionReason::allocation;
  return !growth_.grows_only_when_it_must && heap_.budget().grows_too_early()
             ? CollectionReason::finalizers
             : CollectionReason::out_of_memory;
}

CollectionTotals ProcessCollector::collect_locked(CollectionReason reason, const OwnStack& own_stack) {
  JACKDAW_CHECK(collecting_.is_held_by_caller());
  JACKDAW_CHECK(concurrent_.phase() == ConcurrentMarking::Phase::idle);
  const base::CancellationDisabled guard;
  collecting_.let_nobody_pass();
  const std::uint64_t live_before = live_bytes();
  CollectionRecord record{.reason = reason, .used_bytes_before = live_before + heap_.allocated_bytes()};
  Marking& marking = prepare_marking(record.used_bytes_before);
  const DumpPreparation dump(dumps_, collections() + 1);
  tell(CollectionEvent::start);
  const EndTold end_told(*this);
  const Clock::time_point start = Clock::now();
  const std::optional<CollectionTotals> result = collect_stopped(marking, own_stack, record);
  // Not before: to throw takes malloc.
  if (!result) throw std::bad_alloc();
  record.pause = Clock::now() - start;
  pacing_.note_allocated(start, Clock::now(), record.used_bytes_before - live_before);
  pacing_.note_stopped(record.pause, live_bytes());
  pacing_.note_live(live_before, record.used_bytes_before - live_before, live_bytes());
  if (is_next_concurrent()) set_budget();
  if (log_) log_->write(record);
  write_trace();
  give_back_memory_of_parent();
  disclaim_procedures_.ask(*this);
  tell_heap_size();
  return *result;
}

void ProcessCollector::write_trace() {
  if (!trace_.is_on()) return;
  const OwnWork own_work;
  trace_.write();
}

// For a heap that holds so many bytes.
Marking& ProcessCollector::prepare_marking(std::uint64_t bytes) {
  // In the child of a fork some may be left.
  look_at_heap([](heap::Heap& heap) { heap.finish_sweep(); });
  const OwnWork own_work;
  Marking& marking = marking_.for_heap_of(bytes, !threads_.has_suspended());
  collection_.begin(marking);
  return marking;
}

// In the child of a fork, to write to free memory copies its page for nothing, and each copy interrupts the
// processors of the other threads. What the system has back it gives anew, empty, by whole blocks.
void ProcessCollector::give_back_memory_of_parent() {
  if (std::exchange(has_memory_of_parent_, false))
    look_at_heap([](heap::Heap& heap) { heap.release_free_memory(); });
}

// Nothing, and nothing changed, when there was no memory to note all static data. Never throws.
std::optional<CollectionTotals> ProcessCollector::collect_stopped(Marking& marking, const OwnStack& own_stack,
                                                                  CollectionRecord& record) {
  const CollectionTrace::Span collection(trace_, TracePhase::collection, collections() + 1, record.reason);
  trace_.count(TraceCounter::allocated, heap_.allocated_bytes());
  const ThreadsStopped threads_stopped(*this);
  const Clock::time_point start = Clock::now();
  tell(CollectionEvent::mark_start);
  // Not earlier: a helper would stand in the way of threads that are to be stopped.
  marking.wake_helpers();
  // From here on nothing fails: between clearing and marking, live objects look free.
  if (!threads_stopped.knows_static_roots()) return std::nullopt;
  {
    const CollectionTrace::Span clearing(trace_, TracePhase::clear_marks);
    collection_.clear_marks();
  }
  finish_stopped(own_stack, false);
  const CollectionResult& result = collection_.finish(start);
  record.stopped_threads = threads_stopped.stopped_threads();
  note(result, record);
  return result;
}

// Records a collection's findings for the next one and for the log.
void ProcessCollector::note(const CollectionResult& result, CollectionRecord& record) {
  // Relaxed, all: see their readers; written under the lock.
  live_bytes_.store(result.live_bytes, std::memory_order_relaxed);
  bytes_before_.store(heap_.usage().allocated, std::memory_order_relaxed);
  record.number = collections_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (record.reason == CollectionReason::request) refusals_ = 0;
  is_swept_unnoted_ = false;
  freed_bytes_.store(0, std::memory_order_relaxed);
  found_.live_bytes = result.live_bytes;
  found_.unscanned_bytes = result.unscanned_bytes;
  found_.heap_bytes = heap_.bytes();
  found_.new_uncounted_bytes = 0;
  note_allocating_threads();
  found_.floating_bytes = 0;
  uncounted_before_ = uncounted_bytes();
  apply_growth();
  record.live_bytes = result.live_bytes;
  record.heap_bytes = heap_.bytes();
  record.mark_threads = threads_that_marked(result.workers);
  record.steal_percent = mark::total(result.workers).steal_percent();
  record.markers = marking_.thread_count();
  trace_.count(TraceCounter::live, record.live_bytes);
  trace_.count(TraceCounter::allocated, heap_.allocated_bytes());
  trace_.count(TraceCounter::heap, record.heap_bytes);
}

// Counts no more threads than have a processor, and no more but the first than the heap's limit has room for.
void ProcessCollector::note_allocating_threads() {
  constexpr std::uint64_t kLimitOfThread = std::uint64_t{16} << 20;
  const std::uint64_t most = std::min<std::uint64_t>(processors_, 1 + heap_.limit() / kLimitOfThread);
  found_.threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(heap_.busy_allocators(), most));
}

// From when only the roots are left to be marked from.
void ProcessCollector::finish_stopped(const OwnStack& own_stack, bool sweeps_later) {
  JACKDAW_CHECK(stands_still_);
  mark_from_roots(own_stack);
  {
    const CollectionTrace::Span finishing(trace_, TracePhase::finish);
    disclaim_procedures_.mark_referents(heap_, weak_processing_);
    process_finalization();
    clear_dead();
    disclaim_procedures_.hold_dead(heap_);
  }
  if (verifies_) verify(own_stack);
  tell(CollectionEvent::mark_end);
  if (dumps_.is_prepared())
    dumps_.fork_and_write([&](DumpStream& stream) { return write_dump(stream, own_stack); });
  const CollectionTrace::Span sweeping(trace_, TracePhase::sweep);
  tell(CollectionEvent::reclaim_start);
  // What is held has its marks until it was swept.
  if (sweeps_later && !disclaim_procedures_.holds_any()) {
    collection_.start_sweep(heap::OwnedBlocks::left);
  } else {
    collection_.sweep(heap::OwnedBlocks::left);
  }
  disclaim_procedures_.unmark_held();
  tell(CollectionEvent::reclaim_end);
}

// Some were found in words that nobody wrote.
void ProcessCollector::define_gathered() const {
  base::define_for_valgrind(&root_count_, sizeof root_count_);
  base::define_for_valgrind(gathered_.data(), root_count_ * sizeof(heap::Object*));
}

void ProcessCollector::mark_from_roots(const OwnStack& own_stack) {
  const CollectionTrace::Span marking(trace_, TracePhase::mark);
  root_count_ = 0;
  found_.root_bytes = 0;
  gather_roots(own_stack);
  const auto add = [this](heap::Object* object) { add_root(object); };
  heap_.for_each_uncollectable(add);
  define_gathered();
  collection_.mark_further({roots_.data(), root_count_});
}

// Those that came together so far, where they are many. Nothing is unmapped: it may lie where the program
// told that roots were.
void ProcessCollector::mark_some_roots() {
  define_gathered();
  collection_.mark_some({roots_.data(), root_count_});
  root_count_ = 0;
}

void ProcessCollector::process_finalization() {
  const std::size_t before = finalization_.finalizers.registered();
  finalization_.process(weak_processing_, java_finalization_);
  finalizers_before_ = finalization_.finalizers.registered();
  finalized_lately_ = finalizers_before_ < before;
}

// A granule in which no object starts may be added, too: it counts as marked.
void ProcessCollector::scan(heap::Words words) {
  if (dump_ != nullptr) return dump_->add_words(words, false);
  if (verification_ != nullptr) return verification_->add_words(words, false);
  constexpr std::size_t kWordsAtOnce = 512;
  std::array<CandidatePicker::Candidate, kWordsAtOnce + CandidatePicker::kScratch> candidates;
  const heap::BlockMap& map = heap_.map();
  const heap::BlockMap::View view(map);
  const CandidatePicker picker(map);
  struct {
    ProcessCollector& collector;
    void reference(heap::Object* object) { collector.add_root(object); }
  } roots{*this};
  found_.root_bytes += words.size_bytes();
  while (!words.empty()) {
    const heap::Words some = words.first(std::min(words.size(), kWordsAtOnce));
    words = words.subspan(some.size());
    const auto picked = std::span(candidates).first(picker.pick(some, candidates.data()));
    heap::report_references(picked, view, map, roots);
  }
}

void ProcessCollector::scan_stack(heap::Words words) {
  if (dump_ != nullptr) return dump_->add_words(words, true);
  if (verification_ != nullptr) return verification_->add_words(words, true);
  found_.root_bytes += words.size_bytes();
  heap::for_each_slot_in_stack(words, heap_.map(), [this](heap::Object* object) { add_root(object); });
}

// An unmarked object is dead, and its memory is about to be used again.
void ProcessCollector::clear_dead() {
  destructors_.prepare(heap_, collection_);
  weak_references_.clear_dead();
  weak_persistents_.for_each([this](PersistentNodes::Node& node) {
    // Relaxed, both: see PersistentNodes::Node.
    const std::uintptr_t start = heap_.map().start_of_object_at(node.word.load(std::memory_order_relaxed));
    const auto* const object = reinterpret_cast<const heap::Object*>(start);
    JACKDAW_CHECK(object != nullptr);
    if (!heap::Chunk::of(object)->is_marked(object)) node.word.store(0, std::memory_order_relaxed);
  });
  destructors_.add_dead(heap_);
}

void ProcessCollector::gather_roots(const OwnStack& own_stack) {
  JACKDAW_CHECK(stands_still_ && root_count_ == 0);
  // First: it may say where stacks end.
  if (hooks_.more_roots != nullptr) hooks_.more_roots();
  scan_made_in_pause();
  static_roots_.for_each([this](heap::Words words) { scan(words); });
  threads_.for_each_root(own_stack.pointer, own_stack.state, static_roots_.thread_local_modules(),
                         [this](ThreadRegistry::RootPlace, heap::Words words) { scan_stack(words); });
  const auto add = [this](heap::Object* object) { add_root(object); };
  const auto add_root_at = [this](std::uintptr_t address) {
    if (heap::Object* const object = heap::slot_at_any_word(heap_.map(), address)) add_root(object);
  };
  destructors_.for_each_waiting(add);
  persistents_.for_each([&](const PersistentNodes::Node& node) {
    // Relaxed: see PersistentNodes::Node.
    add_root_at(node.word.load(std::memory_order_relaxed));
  });
  finalization_.for_each_root(add_root_at);
}

// Not while the thread loads a library: each collection takes the loader's lock.
void ProcessCollector::suspend(pthread_t thread) {
  {
    const std::lock_guard lock(collecting_);
    static_cast<void>(static_roots_.take([=, this] { threads_.suspend(thread); }));
    static_roots_.mutex().unlock();
  }
  threads_.await_suspension(thread);
}

void ProcessCollector::resume(pthread_t thread) {
  const std::lock_guard lock(collecting_);
  threads_.resume(thread);
}

// In the order in which threads take them.
template <typename Function>
void ProcessCollector::for_each_fork_lock(Function function) {
  for (StoppableMutex* const lock : hooks_.fork_locks) function(*lock);
  for (StoppableMutex* const lock : {&collecting_, &static_roots_.mutex(), &persistents_.mutex(),
                                     &weak_persistents_.mutex(), &concurrent_.steps()})
    function(*lock);
}

// No collection is under way.
void ProcessCollector::prepare_fork() {
  for_each_fork_lock([](StoppableMutex& lock) { lock.lock(); });
  threads_.prepare_fork();
  OwnMemory::lock();
}

void ProcessCollector::after_fork_in_parent() {
  OwnMemory::unlock();
  threads_.after_fork_in_parent();
  for_each_fork_lock([](StoppableMutex& lock) { lock.unlock(); });
}

void ProcessCollector::after_fork_in_child() {
  OwnMemory::unlock_in_child();
  marking_.abandon();
  concurrent_.after_fork_in_child();
  {
    const OwnWork own_work;
    trace_.after_fork_in_child();
  }
  is_swept_unnoted_ = false;
  has_memory_of_parent_ = true;
  found_.threads = 1;
  set_budget();
  threads_.after_fork_in_child();
  for_each_fork_lock([](StoppableMutex& lock) {
    lock.forget_queue();
    lock.unlock();
  });
}

// `more`: what a budget that is spent lets be allocated, nevertheless.
void ProcessCollector::set_budget(std::uint64_t more) {
  const std::uint64_t allocated = heap_.allocated_bytes();
  const auto or_more = [&](std::uint64_t planned) {
    return more == 0 || allocated < planned ? planned : allocated + more;
  };
  const Budgets planned = planned_budgets();
  heap_.budget().set(or_more(planned.all), or_more(planned.while_growing), growth_.minimum_heap(found_));
  // The next thread that needs memory ends the marking.
  if (concurrent_.phase() == ConcurrentMarking::Phase::marked) heap_.budget().set(0);
}

void ProcessCollector::apply_growth() {
  apply_finalizers();
  set_budget();
}

// Finalizers that no collection makes ready are no reason for more collections. The budget stays: it may be
// spent, and a collection due.
void ProcessCollector::apply_finalizers() {
  const std::uint64_t registered = finalization_.finalizers.registered();
  const bool counts = finalized_lately_ && registered > finalizers_before_;
  heap_.budget().set_growth_threshold(growth_.growth_threshold(counts ? registered - finalizers_before_ : 0));
}

void ProcessCollector::start_mark_threads() {
  const base::CancellationDisabled guard;
  const std::lock_guard lock(collecting_);
  end_cycle();
  marking_.start_helpers();
}

void ProcessCollector::end_mark_threads() {
  const base::CancellationDisabled guard;
  const std::lock_guard lock(collecting_);
  end_cycle();
  concurrent_.end_thread();
  marking_.end();
}

bool ProcessCollector::expand(std::size_t bytes) {
  ProcessThread& thread = this_thread();
  const std::lock_guard lock(collecting_);
  collecting_.let_nobody_pass();
  const ThreadRegistry::CriticalSection critical(thread);
  const std::uint64_t wanted = heap_.bytes() + bytes;
  if (wanted < bytes || !heap_.expand_to(wanted)) return false;
  growth_.minimum_heap_bytes = std::max(growth_.minimum_heap_bytes, wanted);
  apply_growth();
  tell_heap_size();
  return true;
}

void ProcessCollector::set_heap_limit(std::size_t bytes) {
  look_at_heap([bytes](heap::Heap& heap) { heap.set_limit(bytes); });
}

void ProcessCollector::release_free_memory() {
  ProcessThread& thread = this_thread();
  const std::lock_guard lock(collecting_);
  collecting_.let_nobody_pass();
  {
    const ThreadRegistry::CriticalSection critical(thread);
    heap_.release_free_memory();
  }
  tell_heap_size();
}

void ProcessCollector::tell_threads(ThreadEvent event) {
  if (hooks_.thread == nullptr) return;
  threads_.for_each_stopped([&](pthread_t thread) { hooks_.thread(event, thread); });
}

void ProcessCollector::tell_heap_size() {
  const std::uint64_t bytes = heap_.bytes();
  if (bytes == told_heap_bytes_) return;
  told_heap_bytes_ = bytes;
  if (hooks_.heap_resized != nullptr) hooks_.heap_resized(bytes);
}

}  // namespace jackdaw::gc
