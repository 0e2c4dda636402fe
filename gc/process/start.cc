// Start: makes the one collector of a process when it is first needed.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>

#include "base/own_descriptor.h"
#include "base/page_memory.h"
#include "base/warn.h"
#include "gc/process/process_collector.h"
#include "gc/process/threads/inspection_signal.h"
#include "gc/process/threads/own_work.h"
#include "heap/leak_sanitizer.h"

// The owner of the process's collector. Where several shared libraries of a process contain this code, such
// as libjackdaw.so and libgc.so.1, the loader gives them all one variable.
extern "C" {
[[gnu::visibility("default")]] constinit std::atomic<const void*> jackdaw_owner{nullptr};
}

namespace jackdaw::gc {

namespace {

// Two collectors would compete for the stop signal and the threads.
void claim_process(const void* owner) {
  const void* other = nullptr;
  // Relaxed: the collector itself is published elsewhere.
  if (jackdaw_owner.compare_exchange_strong(other, owner, std::memory_order_relaxed)) return;
  if (other == owner) return;  // an earlier try ran out of memory
  base::warn(
      "libjackdaw.so and libgc.so.1 are both used in this process, which can have one collector alone: link "
      "everything with one of them");
  std::_Exit(2);
}

// Detects that making the collector leads to making it again, which would wait for ever.
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

// The collector lies in pages of its own, not in static data, since its tables hold addresses of objects,
// which must not be roots.
ProcessCollector& ProcessCollector::make_instance() {
  const Making making;
  const OwnWork own_work;
  // The loader runs code of libraries, so this comes before any lock that they may need.
  if (secure_getenv("JACKDAW_DUMP") != nullptr) HeapDumps::load_compressor();
  const NestedLock lock(starting_);
  // Relaxed: written under this lock.
  if (ProcessCollector* const made = instance_.load(std::memory_order_relaxed)) return *made;
  claim_process(&instance_);
  const std::span<std::byte> memory = base::PageMemory::allocate(sizeof(ProcessCollector));
  if (memory.empty()) throw std::bad_alloc();
  heap::show_to_leak_sanitizer(memory);
  const ProcessOptions options = options_from_environment(initial_options());
  // Here there may be a single thread, and the program is not stopped, so that the table is enlarged fast.
  if (options.marks_concurrently == MarksConcurrently::always) base::OwnDescriptor::make_room();
  auto* const made = new (memory.data()) ProcessCollector(options);
  made->parts_.threads.this_thread();
  if (!options.profile_path.empty())
    made->parts_.profiling.start_until_exit(options.profile_path, options.profile_every);
  // Release: pairs with the acquire in instance.
  instance_.store(made, std::memory_order_release);
  InspectionSignal::set_function(ProcessCollector::take_inspection);
  return *made;
}

}  // namespace jackdaw::gc
