#include "gc/process/process_collector.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "gc/process/stack_pointer.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

namespace {

using Clock = std::chrono::steady_clock;

// The forms that pthread_atfork wants.
void prepare_fork_of_process() { ProcessCollector::instance().prepare_fork(); }
void end_fork_in_parent() { ProcessCollector::instance().after_fork_in_parent(); }
void end_fork_in_child() { ProcessCollector::instance().after_fork_in_child(); }

}  // namespace

// In pages of its own, not in static data: its tables hold addresses of objects, which must not be roots.
ProcessCollector& ProcessCollector::instance() {
  static ProcessCollector* const kCollector = [] {
    const std::span<std::byte> memory = heap::map_memory(sizeof(ProcessCollector));
    if (memory.empty()) throw std::bad_alloc();
    auto* const made = new (memory.data()) ProcessCollector(options_from_environment());
    made->this_thread();
    return made;
  }();
  return *kCollector;
}

ProcessCollector::ProcessCollector(const ProcessOptions& options)
    : options_(options),
      heap_(options.heap_limit_bytes),
      threads_(heap_),
      marking_(make_marking(options.marking)),
      collection_(heap_) {
  if (options.log_collections) log_.emplace(options.log_path);
  if (options.handles_fork &&
      pthread_atfork(prepare_fork_of_process, end_fork_in_parent, end_fork_in_child) != 0)
    throw std::bad_alloc();
  set_budget();
}

ProcessThread& ProcessCollector::this_thread() {
  ProcessThread* const thread = ThreadRegistry::current();
  return thread != nullptr ? *thread : threads_.register_current();
}

void* ProcessCollector::try_to_allocate(ProcessThread& thread, std::size_t bytes, heap::KindNumber kind) {
  const ThreadRegistry::CriticalSection critical(thread);
  return thread.allocator().allocate_plain(std::max<std::size_t>(bytes, 1), kind);
}

void* ProcessCollector::allocate_slowly(std::size_t bytes, heap::KindNumber kind) {
  ProcessThread& thread = this_thread();
  for (;;) {
    // Relaxed: another thread's collection is known by its number alone; what it freed is learnt under the
    // heap's lock.
    const std::uint64_t collections = collections_.load(std::memory_order_relaxed);
    if (void* const object = try_to_allocate(thread, bytes, kind)) return object;
    if (const auto object = collect_and_allocate(thread, bytes, kind, collections)) return *object;
  }
}

// Nothing when another thread's collection came first; null when there is no memory.
std::optional<void*> ProcessCollector::collect_and_allocate(ProcessThread& thread, std::size_t bytes,
                                                            heap::KindNumber kind,
                                                            std::uint64_t unless_after) {
  const std::lock_guard lock(collecting_);
  // Relaxed: written under this lock; for disabled_ see disable().
  if (collections_.load(std::memory_order_relaxed) != unless_after) return std::nullopt;
  try {
    if (disabled_.load(std::memory_order_relaxed) == 0) collect_locked(CollectionReason::allocation);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  // What the budget alone refuses is granted now, before anybody else can take it.
  heap_.set_budget(std::numeric_limits<std::uint64_t>::max());
  void* const object = try_to_allocate(thread, bytes, kind);
  set_budget();
  return object;
}

CollectionResult ProcessCollector::collect() {
  this_thread();
  const std::lock_guard lock(collecting_);
  return collect_locked(CollectionReason::explicit_call);
}

CollectionResult ProcessCollector::collect_locked(CollectionReason reason) {
  if (marking_ == nullptr) marking_ = make_marking(options_.marking);
  collection_.begin(*marking_);
  const std::uint64_t used_bytes = live_bytes_ + heap_.allocated_bytes();
  const Clock::time_point start = Clock::now();
  std::uint32_t stopped_threads = 0;
  CollectionResult result = collect_stopped(stopped_threads);
  if (log_) write_log(reason, result, used_bytes, Clock::now() - start, stopped_threads);
  return result;
}

void ProcessCollector::write_log(CollectionReason reason, const CollectionResult& result,
                                 std::uint64_t used_bytes_before, std::chrono::nanoseconds pause,
                                 std::uint32_t stopped_threads) {
  log_->write({.number = collections(),
               .reason = reason,
               .pause = pause,
               .used_bytes_before = used_bytes_before,
               .live_bytes = result.live_bytes,
               .heap_bytes = heap_.chunk_bytes(),
               .mark_threads = threads_that_marked(result.workers),
               .steal_percent = mark::total(result.workers).steal_percent(),
               .stopped_threads = stopped_threads});
}

// The time in which no other thread runs that uses the heap. Ends when the object dies, also by an exception.
class ProcessCollector::ThreadsStopped {
 public:
  explicit ThreadsStopped(ProcessCollector& collector) : collector_(collector) {
    const auto stop = [this] { stopped_threads_ = collector_.threads_.stop_others(); };
    knows_all_roots_ = collector_.static_roots_.take(stop);
  }
  ~ThreadsStopped() {
    collector_.threads_.resume_others();
    collector_.static_roots_.release();
  }
  ThreadsStopped(const ThreadsStopped&) = delete;
  ThreadsStopped& operator=(const ThreadsStopped&) = delete;

  [[nodiscard]] bool knows_all_roots() const { return knows_all_roots_; }
  [[nodiscard]] std::uint32_t stopped_threads() const { return stopped_threads_; }

 private:
  ProcessCollector& collector_;
  std::uint32_t stopped_threads_ = 0;
  bool knows_all_roots_ = false;
};

CollectionResult ProcessCollector::collect_stopped(std::uint32_t& stopped_threads) {
  const ThreadsStopped threads_stopped(*this);
  if (!threads_stopped.knows_all_roots()) throw std::bad_alloc();
  stopped_threads = threads_stopped.stopped_threads();
  const Clock::time_point start = Clock::now();
  gather_roots(stack_pointer_below_registers());
  // From here on nothing throws: between clearing and marking, live objects look free.
  collection_.run(roots_, heap::OwnedBlocks::left);
  CollectionResult result = collection_.finish(start);
  live_bytes_ = result.live_bytes;
  // Relaxed: see allocate_slowly.
  collections_.fetch_add(1, std::memory_order_relaxed);
  set_budget();
  return result;
}

void ProcessCollector::gather_roots(std::uintptr_t own_stack_pointer) {
  roots_.clear();
  const auto scan = [this](heap::Words words) {
    heap::for_each_slot_in(words, heap_.map(), [this](heap::Object* object) { roots_.push_back(object); });
  };
  static_roots_.for_each(scan);
  threads_.for_each_root(own_stack_pointer, static_roots_.thread_local_modules(), scan);
}

// In the order in which a collection takes them: none is under way.
void ProcessCollector::prepare_fork() {
  collecting_.lock();
  static_roots_.hold();
  threads_.prepare_fork();
}

void ProcessCollector::after_fork_in_parent() {
  threads_.after_fork_in_parent();
  static_roots_.release();
  collecting_.unlock();
}

// The mark threads did not come along: the engine that counts on them is left as it is, and the next
// collection makes another.
void ProcessCollector::after_fork_in_child() {
  static_cast<void>(marking_.release());  // NOLINT(bugprone-unused-return-value)
  threads_.after_fork_in_child();
  static_roots_.release();
  collecting_.unlock();
}

// What was allocated beyond the budget brings no collection of its own.
void ProcessCollector::set_budget() {
  const auto grown = static_cast<std::uint64_t>(options_.growth * static_cast<double>(live_bytes_));
  const std::uint64_t least = options_.minimum_budget_bytes;
  const std::uint64_t allocated = heap_.allocated_bytes();
  const std::uint64_t planned = std::max(least, grown);
  heap_.set_budget(allocated < planned ? planned : allocated + least);
}

}  // namespace jackdaw::gc
