#include "gc/process/process_collector.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "gc/process/cancellation.h"
#include "gc/process/stack_pointer.h"

namespace jackdaw::gc {

namespace {

using Clock = std::chrono::steady_clock;

// The forms that pthread_atfork wants.
void prepare_fork_of_process() { ProcessCollector::instance().prepare_fork(); }
void end_fork_in_parent() { ProcessCollector::instance().after_fork_in_parent(); }
void end_fork_in_child() { ProcessCollector::instance().after_fork_in_child(); }

}  // namespace

ProcessOptions& ProcessCollector::initial_options() {
  static ProcessOptions options = default_options();
  return options;
}

constinit std::atomic<ProcessCollector*> ProcessCollector::instance_{nullptr};

// In pages of its own, not in static data: its tables hold addresses of objects, which must not be roots.
ProcessCollector& ProcessCollector::make_instance() {
  static ProcessCollector* const kCollector = [] {
    const std::span<std::byte> memory = heap::map_memory(sizeof(ProcessCollector));
    if (memory.empty()) throw std::bad_alloc();
    auto* const made = new (memory.data()) ProcessCollector(options_from_environment(initial_options()));
    made->this_thread();
    // Release: pairs with the acquire in instance.
    instance_.store(made, std::memory_order_release);
    return made;
  }();
  return *kCollector;
}

ProcessCollector::ProcessCollector(const ProcessOptions& options)
    : heap_(options.heap_limit_bytes, memory_nodes(options.memory)),
      threads_(heap_),
      marking_options_(fitting(options.marking, heap_)),
      marking_(make_marking(marking_options_)),
      weak_references_(heap_.map()),
      collection_(heap_, &weak_references_.ephemerons()),
      growth_(options.growth),
      further_marking_(collection_) {
  for (const heap::Kind& kind : ProcessKinds::kAdded) heap_.add_kind(kind);
  heap_.set_all_addresses_keep(options.all_interior_pointers);
  if (options.starts_disabled) disable();
  if (options.log_collections) log_.emplace(options.log_path);
  if (options.handles_fork &&
      pthread_atfork(prepare_fork_of_process, end_fork_in_parent, end_fork_in_child) != 0)
    throw std::bad_alloc();
  apply_growth();
}

ProcessThread& ProcessCollector::this_thread() {
  ProcessThread* const thread = ThreadRegistry::current();
  return thread != nullptr ? *thread : threads_.register_current();
}

void* ProcessCollector::try_to_allocate(ProcessThread& thread, const Request& request) {
  const ThreadRegistry::CriticalSection critical(thread);
  if (request.addresses == heap::LargeAddresses::near_start)
    return heap_.allocate_large(request.bytes, request.kind, request.addresses);
  return thread.allocator().allocate_plain(std::max<std::size_t>(request.bytes, 1), request.kind);
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
  void* object = nullptr;
  std::uint64_t tries = growth_.more_collections_when_exhausted + 1;
  do {
    try {
      if (may_collect(hooks_.declines))
        collect_locked(is_due() ? CollectionReason::allocation : CollectionReason::out_of_memory,
                       {request.stack_pointer});
    } catch (const std::bad_alloc&) {
      break;
    }
    object = allocate_beyond_budget(thread, request);
  } while (object == nullptr && --tries != 0);
  tell_heap_size();
  return object;
}

// What the budget alone refuses is granted, to this thread alone: others ask, too.
void* ProcessCollector::allocate_beyond_budget(ProcessThread& thread, const Request& request) {
  const heap::Heap::BeyondBudget beyond_budget;
  void* const object = try_to_allocate(thread, request);
  apply_growth();
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

// Seldom to the number that all threads share. What a thread has not yet told when it ends is not told.
void ProcessCollector::count_freed(std::uint64_t bytes) {
  constinit static thread_local std::uint64_t untold = 0;
  untold += bytes;
  if (untold < heap::kBlockBytes) return;
  // Relaxed: a total that publishes nothing.
  freed_bytes_.fetch_add(untold, std::memory_order_relaxed);
  untold = 0;
}

bool ProcessCollector::resize_in_place(void* object, std::size_t bytes) {
  auto* const start = static_cast<heap::Object*>(object);
  const std::size_t before = heap::Heap::bytes_of(start);
  if (before <= heap::kLargestSmallBytes) return bytes <= before;
  const ThreadRegistry::CriticalSection critical(this_thread());
  return heap_.resize_large(start, bytes);
}

std::optional<heap::KindNumber> ProcessCollector::add_kind(const heap::Kind& kind) {
  const ThreadRegistry::CriticalSection critical(this_thread());
  return heap_.add_kind(kind);
}

CollectionResult ProcessCollector::collect(CollectionReason reason, StackState stack) {
  this_thread();
  CollectionResult result;
  {
    const std::lock_guard lock(collecting_);
    result = collect_locked(reason, {stack_pointer_below_registers(), stack});
  }
  destructors_.run(*this);
  return result;
}

bool ProcessCollector::collect_unless(int (*declines)()) {
  this_thread();
  {
    const std::lock_guard lock(collecting_);
    if (!may_collect(declines)) return false;
    collect_locked(CollectionReason::request, {stack_pointer_below_registers()});
  }
  destructors_.run(*this);
  return true;
}

// Whether as much was allocated as was to be, but for a block.
bool ProcessCollector::is_due() const {
  return heap_.allocated_bytes() + heap::kBlockBytes > growth_.budget(found_);
}

bool ProcessCollector::collect_if_due() {
  this_thread();
  {
    const std::lock_guard lock(collecting_);
    if (!is_due() || !may_collect(hooks_.declines)) return false;
    collect_locked(CollectionReason::allocation, {stack_pointer_below_registers()});
  }
  destructors_.run(*this);
  return true;
}

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
  explicit ThreadsStopped(ProcessCollector& collector) : collector_(collector) {
    collector_.tell(CollectionEvent::before_stop);
    const auto stop = [this] { stopped_threads_ = collector_.threads_.stop_others(); };
    knows_static_roots_ = collector_.static_roots_.take(stop);
    collector_.tell(CollectionEvent::after_stop);
    collector_.tell_threads(ThreadEvent::stopped);
  }
  ~ThreadsStopped() {
    collector_.tell_threads(ThreadEvent::to_resume);
    collector_.tell(CollectionEvent::before_resume);
    collector_.threads_.resume_others();
    collector_.static_roots_.release();
    collector_.tell(CollectionEvent::after_resume);
  }
  ThreadsStopped(const ThreadsStopped&) = delete;
  ThreadsStopped& operator=(const ThreadsStopped&) = delete;

  [[nodiscard]] bool knows_static_roots() const { return knows_static_roots_; }
  [[nodiscard]] std::uint32_t stopped_threads() const { return stopped_threads_; }

 private:
  ProcessCollector& collector_;
  std::uint32_t stopped_threads_ = 0;
  bool knows_static_roots_ = false;
};

CollectionResult ProcessCollector::collect_locked(CollectionReason reason, const OwnStack& own_stack) {
  const CancellationDisabled guard;
  tell(CollectionEvent::start);
  const EndTold end_told(*this);
  if (marking_ == nullptr) marking_ = make_marking(marking_options_);
  collection_.begin(*marking_);
  CollectionRecord record{.reason = reason, .used_bytes_before = live_bytes() + heap_.allocated_bytes()};
  const Clock::time_point start = Clock::now();
  std::optional<CollectionResult> result = collect_stopped(own_stack, record);
  // Not before: to throw takes malloc.
  if (!result) throw std::bad_alloc();
  record.pause = Clock::now() - start;
  if (log_) log_->write(record);
  tell_heap_size();
  return *std::move(result);
}

// Nothing, and nothing changed, when there was no memory to note all roots. Never throws.
std::optional<CollectionResult> ProcessCollector::collect_stopped(const OwnStack& own_stack,
                                                                  CollectionRecord& record) {
  const ThreadsStopped threads_stopped(*this);
  const Clock::time_point start = Clock::now();
  tell(CollectionEvent::mark_start);
  // Not earlier: a helper would stand in the way of threads that are to be stopped.
  marking_->rouse_helpers();
  knows_all_roots_ = threads_stopped.knows_static_roots();
  gather_roots(own_stack);
  // From here on nothing fails: between clearing and marking, live objects look free.
  if (!knows_all_roots_) return std::nullopt;
  collection_.mark(roots_.span());
  process_finalization();
  let_go_of_dead();
  tell(CollectionEvent::mark_end);
  tell(CollectionEvent::reclaim_start);
  collection_.sweep(heap::OwnedBlocks::left);
  tell(CollectionEvent::reclaim_end);
  CollectionResult result = collection_.finish(start);
  // Relaxed, all: see their readers; written under the lock.
  live_bytes_.store(result.live_bytes, std::memory_order_relaxed);
  bytes_before_.store(heap_.usage().allocated, std::memory_order_relaxed);
  record.number = collections_.fetch_add(1, std::memory_order_relaxed) + 1;
  freed_bytes_.store(0, std::memory_order_relaxed);
  found_.live_bytes = result.live_bytes;
  found_.threads = threads_stopped.stopped_threads() + 1;
  apply_growth();
  record.live_bytes = result.live_bytes;
  record.heap_bytes = heap_.chunk_bytes();
  record.mark_threads = threads_that_marked(result.workers);
  record.steal_percent = mark::total(result.workers).steal_percent();
  record.stopped_threads = threads_stopped.stopped_threads();
  return result;
}

void ProcessCollector::process_finalization() {
  const std::size_t before = finalization_.finalizers.registered();
  finalization_.process(further_marking_, java_finalization_);
  finalizers_before_ = finalization_.finalizers.registered();
  finalized_lately_ = finalizers_before_ < before;
}

void ProcessCollector::scan(heap::Words words) {
  found_.root_bytes += words.size_bytes();
  heap::for_each_slot_in(words, heap_.map(), [this](heap::Object* object) { add_root(object); });
}

void ProcessCollector::scan_stack(heap::Words words) {
  found_.root_bytes += words.size_bytes();
  heap::for_each_slot_in_stack(words, heap_.map(), [this](heap::Object* object) { add_root(object); });
}

// What is not marked is dead, and its memory is about to be used again.
void ProcessCollector::let_go_of_dead() {
  destructors_.prepare(heap_, collection_);
  weak_references_.clear_dead();
  weak_persistents_.for_each([this](PersistentNodes::Node& node) {
    // Relaxed, both: see PersistentNodes::Node.
    const std::uintptr_t start = heap_.map().start_of_object_at(node.load(std::memory_order_relaxed));
    const auto* const object = reinterpret_cast<const heap::Object*>(start);
    if (!heap::Chunk::of(object)->is_marked(object)) node.store(0, std::memory_order_relaxed);
  });
  destructors_.add_dead(heap_);
}

void ProcessCollector::gather_roots(const OwnStack& own_stack) {
  roots_.clear();
  found_.root_bytes = 0;
  const auto scan_words = [this](heap::Words words) { scan(words); };
  static_roots_.for_each(scan_words);
  threads_.for_each_root(own_stack.pointer, own_stack.state, static_roots_.thread_local_modules(),
                         [this](heap::Words words) { scan_stack(words); });
  const auto add = [this](heap::Object* object) { add_root(object); };
  const auto add_root_at = [this](std::uintptr_t address) {
    if (heap::Object* const object = heap::slot_at_any_word(heap_.map(), address)) add_root(object);
  };
  heap_.for_each_uncollectable(add);
  destructors_.for_each_waiting(add);
  persistents_.for_each([&](const PersistentNodes::Node& node) {
    // Relaxed: see PersistentNodes::Node.
    add_root_at(node.load(std::memory_order_relaxed));
  });
  finalization_.for_each_root(add_root_at);
  if (hooks_.more_roots != nullptr) hooks_.more_roots();
}

// In the order in which threads take them. No collection is under way.
void ProcessCollector::prepare_fork() {
  if (hooks_.before_fork != nullptr) hooks_.before_fork();
  collecting_.lock();
  static_roots_.hold();
  persistents_.hold();
  weak_persistents_.hold();
  threads_.prepare_fork();
}

void ProcessCollector::release_after_fork() {
  weak_persistents_.let_go();
  persistents_.let_go();
  static_roots_.release();
  collecting_.unlock();
  if (hooks_.after_fork != nullptr) hooks_.after_fork();
}

void ProcessCollector::after_fork_in_parent() {
  threads_.after_fork_in_parent();
  release_after_fork();
}

// The mark threads did not come along: the engine that counts on them is left as it is, and the next
// collection makes another.
void ProcessCollector::after_fork_in_child() {
  static_cast<void>(marking_.release());  // NOLINT(bugprone-unused-return-value)
  threads_.after_fork_in_child();
  release_after_fork();
}

// What was allocated beyond the budget brings no collection of its own.
void ProcessCollector::set_budget() {
  const std::uint64_t allocated = heap_.allocated_bytes();
  const std::uint64_t planned = growth_.budget(found_);
  heap_.set_budget(allocated < planned ? planned : allocated + growth_.minimum_budget_bytes);
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
  heap_.set_growth_threshold(growth_.growth_threshold(counts ? registered - finalizers_before_ : 0));
}

void ProcessCollector::start_mark_threads() {
  const std::lock_guard lock(collecting_);
  if (marking_ == nullptr) marking_ = make_marking(marking_options_);
}

void ProcessCollector::end_mark_threads() {
  const std::lock_guard lock(collecting_);
  marking_.reset();
}

bool ProcessCollector::expand(std::size_t bytes) {
  ProcessThread& thread = this_thread();
  const std::lock_guard lock(collecting_);
  const ThreadRegistry::CriticalSection critical(thread);
  const std::uint64_t wanted = std::max(growth_.minimum_heap_bytes, heap_.chunk_bytes()) + bytes;
  if (wanted < bytes || !heap_.expand_to(wanted)) return false;
  growth_.minimum_heap_bytes = wanted;
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
  const std::uint64_t bytes = heap_.chunk_bytes();
  if (bytes == told_heap_bytes_) return;
  told_heap_bytes_ = bytes;
  if (hooks_.heap_resized != nullptr) hooks_.heap_resized(bytes);
}

}  // namespace jackdaw::gc
