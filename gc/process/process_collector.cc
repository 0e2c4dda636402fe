#include "gc/process/process_collector.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "gc/process/stack_pointer.h"
#include "heap/word_scan.h"

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
    : options_(options),
      heap_(options.heap_limit_bytes),
      threads_(heap_),
      marking_(make_marking(options.marking)),
      collection_(heap_) {
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
    if (disabled_.load(std::memory_order_relaxed) == 0) collect_locked();
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
  return collect_locked();
}

CollectionResult ProcessCollector::collect_locked() {
  collection_.begin(*marking_);
  return collect_stopped();
}

// The time in which no other thread runs that uses the heap. Ends when the object dies, also by an exception.
class ProcessCollector::ThreadsStopped {
 public:
  explicit ThreadsStopped(ProcessCollector& collector) : collector_(collector) {
    const auto stop = [this] { collector_.threads_.stop_others(); };
    knows_all_roots_ = collector_.static_roots_.take(stop);
  }
  ~ThreadsStopped() {
    collector_.threads_.resume_others();
    collector_.static_roots_.release();
  }
  ThreadsStopped(const ThreadsStopped&) = delete;
  ThreadsStopped& operator=(const ThreadsStopped&) = delete;

  [[nodiscard]] bool knows_all_roots() const { return knows_all_roots_; }

 private:
  ProcessCollector& collector_;
  bool knows_all_roots_ = false;
};

CollectionResult ProcessCollector::collect_stopped() {
  const ThreadsStopped threads_stopped(*this);
  if (!threads_stopped.knows_all_roots()) throw std::bad_alloc();
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
  threads_.for_each_stack(own_stack_pointer, scan);
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
