#include "gc/process/process_collector.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "gc/process/stack_pointer.h"

namespace jackdaw::gc {

namespace {

using Clock = std::chrono::steady_clock;

ProcessOptions default_options() {
  ProcessOptions options;
  options.marking.engine.threads = std::clamp(std::thread::hardware_concurrency(), 1U, 64U);
  return options;
}

}  // namespace

// In pages of its own, not in static data: its tables hold addresses of objects, which must not be roots.
ProcessCollector& ProcessCollector::instance() {
  static ProcessCollector* const kCollector = [] {
    const std::span<std::byte> memory = heap::map_memory(sizeof(ProcessCollector));
    if (memory.empty()) throw std::bad_alloc();
    auto* const made = new (memory.data()) ProcessCollector(default_options());
    made->this_thread();
    return made;
  }();
  return *kCollector;
}

ProcessCollector::ProcessCollector(const ProcessOptions& options)
    : heap_(options.heap_limit_bytes),
      threads_(heap_),
      marking_(make_marking(options.marking)),
      weak_references_(heap_.map()),
      collection_(heap_, &weak_references_.ephemerons()),
      growth_(options.growth) {
  for (const heap::Kind& kind : ProcessKinds::kAdded) heap_.add_kind(kind);
  set_budget();
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

void* ProcessCollector::allocate_slowly(const Request& request) {
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
  try {
    if (!is_disabled())
      collect_locked(is_due() ? CollectionReason::allocation : CollectionReason::out_of_memory);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  // What the budget alone refuses is granted now, before anybody else can take it.
  heap_.set_budget(std::numeric_limits<std::uint64_t>::max());
  void* const object = try_to_allocate(thread, request);
  set_budget();
  tell_heap_size();
  return object;
}

void ProcessCollector::free(void* object) {
  ProcessThread& thread = this_thread();
  const ThreadRegistry::CriticalSection critical(thread);
  thread.allocator().free(static_cast<heap::Object*>(object));
}

bool ProcessCollector::resize_in_place(void* object, std::size_t bytes) {
  auto* const start = static_cast<heap::Object*>(object);
  const std::size_t before = heap::Heap::bytes_of(start);
  if (before <= heap::kLargestSmallBytes) return bytes <= before;
  const ThreadRegistry::CriticalSection critical(this_thread());
  return heap_.resize_large(start, bytes);
}

CollectionResult ProcessCollector::collect(CollectionReason reason, StackState stack) {
  this_thread();
  CollectionResult result;
  {
    const std::lock_guard lock(collecting_);
    result = collect_locked(reason, stack);
  }
  destructors_.run(*this);
  return result;
}

// Whether as much was allocated as was to be, but for a block.
bool ProcessCollector::is_due() const {
  return heap_.allocated_bytes() + heap::kBlockBytes > growth_.budget(live_bytes());
}

bool ProcessCollector::collect_if_due() {
  this_thread();
  {
    const std::lock_guard lock(collecting_);
    if (!is_due() || is_disabled()) return false;
    collect_locked(CollectionReason::allocation);
  }
  destructors_.run(*this);
  return true;
}

// The time in which no other thread runs that uses the heap. Ends when the object dies, also by an exception.
class ProcessCollector::ThreadsStopped {
 public:
  explicit ThreadsStopped(ProcessCollector& collector) : collector_(collector) {
    collector_.tell(CollectionEvent::before_stop);
    const auto stop = [this] { collector_.threads_.stop_others(); };
    knows_all_roots_ = collector_.static_roots_.take(stop);
    collector_.tell(CollectionEvent::after_stop);
  }
  ~ThreadsStopped() {
    collector_.tell(CollectionEvent::before_resume);
    collector_.threads_.resume_others();
    collector_.static_roots_.release();
    collector_.tell(CollectionEvent::after_resume);
  }
  ThreadsStopped(const ThreadsStopped&) = delete;
  ThreadsStopped& operator=(const ThreadsStopped&) = delete;

  [[nodiscard]] bool knows_all_roots() const { return knows_all_roots_; }

 private:
  ProcessCollector& collector_;
  bool knows_all_roots_ = false;
};

CollectionResult ProcessCollector::collect_locked(CollectionReason, StackState stack) {
  tell(CollectionEvent::start);
  collection_.begin(*marking_);
  CollectionResult result = collect_stopped(stack);
  tell_heap_size();
  tell(CollectionEvent::end);
  return result;
}

CollectionResult ProcessCollector::collect_stopped(StackState stack) {
  const ThreadsStopped threads_stopped(*this);
  if (!threads_stopped.knows_all_roots()) throw std::bad_alloc();
  const Clock::time_point start = Clock::now();
  tell(CollectionEvent::mark_start);
  gather_roots(stack_pointer_below_registers(), stack);
  // From here on nothing throws: between clearing and marking, live objects look free.
  collection_.mark(roots_);
  let_go_of_dead();
  tell(CollectionEvent::mark_end);
  tell(CollectionEvent::reclaim_start);
  const std::uint64_t allocated = heap_.allocated_bytes();
  collection_.sweep(heap::OwnedBlocks::left);
  tell(CollectionEvent::reclaim_end);
  CollectionResult result = collection_.finish(start);
  // Relaxed, all: see their readers; written under the lock.
  live_bytes_.store(result.live_bytes, std::memory_order_relaxed);
  bytes_before_.fetch_add(allocated, std::memory_order_relaxed);
  collections_.fetch_add(1, std::memory_order_relaxed);
  set_budget();
  return result;
}

void ProcessCollector::scan(heap::Words words) {
  heap::for_each_slot_in(words, heap_.map(), [this](heap::Object* object) { roots_.push_back(object); });
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

void ProcessCollector::gather_roots(std::uintptr_t own_stack_pointer, StackState stack) {
  roots_.clear();
  const auto scan_words = [this](heap::Words words) { scan(words); };
  static_roots_.for_each(scan_words);
  threads_.for_each_stack(own_stack_pointer, stack, scan_words);
  const auto add_root = [this](heap::Object* object) { roots_.push_back(object); };
  heap_.for_each_uncollectable(add_root);
  destructors_.for_each_waiting(add_root);
  persistents_.for_each([&](const PersistentNodes::Node& node) {
    const std::uintptr_t word = node.load(std::memory_order_relaxed);
    scan({&word, 1});
  });
  if (hooks_.more_roots != nullptr) hooks_.more_roots();
}

// What was allocated beyond the budget brings no collection of its own.
void ProcessCollector::set_budget() {
  const std::uint64_t allocated = heap_.allocated_bytes();
  const std::uint64_t planned = growth_.budget(live_bytes());
  heap_.set_budget(allocated < planned ? planned : allocated + growth_.minimum_budget_bytes);
}

bool ProcessCollector::expand(std::size_t bytes) {
  ProcessThread& thread = this_thread();
  const std::lock_guard lock(collecting_);
  const ThreadRegistry::CriticalSection critical(thread);
  const std::uint64_t wanted = std::max(growth_.minimum_heap_bytes, heap_.chunk_bytes()) + bytes;
  if (!heap_.expand_to(wanted)) return false;
  growth_.minimum_heap_bytes = wanted;
  set_budget();
  tell_heap_size();
  return true;
}

void ProcessCollector::tell_heap_size() {
  const std::uint64_t bytes = heap_.chunk_bytes();
  if (bytes == told_heap_bytes_) return;
  told_heap_bytes_ = bytes;
  if (hooks_.heap_resized != nullptr) hooks_.heap_resized(bytes);
}

}  // namespace jackdaw::gc
