#include "gc/process/marking_on_demand.h"

#include <sys/resource.h>

#include <new>
#include <utility>

#include "gc/process/threads/own_work.h"

namespace jackdaw::gc {

namespace {

// One thread marks a heap of this size in less time than it takes to start another.
constexpr std::uint64_t kSmallHeapBytes = std::uint64_t{1} << 20;

MarkingOptions for_one_thread(MarkingOptions options) {
  options.engine.threads = 1;
  return options;
}

// Gives the calling thread these processors for a while, which a new thread inherits: any thread of the
// program may start helpers, and it may be bound to a core.
class RunsOn {
 public:
  explicit RunsOn(const cpu_set_t& processors) {
    is_set_ = sched_getaffinity(0, sizeof(before_), &before_) == 0 && CPU_EQUAL(&before_, &processors) == 0 &&
              CPU_COUNT(&processors) != 0 && sched_setaffinity(0, sizeof(processors), &processors) == 0;
  }
  ~RunsOn() {
    if (is_set_) sched_setaffinity(0, sizeof(before_), &before_);
  }
  RunsOn(const RunsOn&) = delete;
  RunsOn& operator=(const RunsOn&) = delete;

 private:
  cpu_set_t before_{};
  bool is_set_ = false;
};

// To start a thread takes malloc, which reserves an arena of 64 MiB of addresses, and 128 for a moment, for
// each thread but the first that calls it: for one that collects, and had no need of malloc before.
bool are_addresses_limited() {
  const auto is_limited = [](auto resource) {
    rlimit limit{};
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  };
  return is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA);
}

}  // namespace

bool MarkingOnDemand::starts_at_once() { return OwnMemory::is_used() || are_addresses_limited(); }

MarkingOnDemand::MarkingOnDemand(const MarkingOptions& options, bool at_once)
    : options_(options),
      thread_count_(options.engine.threads),
      engine_(options.make(for_one_thread(options))) {
  // If there are more processors than the set has room for, threads are not bound.
  if (sched_getaffinity(0, sizeof(processors_), &processors_) != 0) CPU_ZERO(&processors_);
  if (at_once || depends_on_machine(options)) start_helpers();
}

MarkEngine& MarkingOnDemand::for_heap_of(std::uint64_t bytes, bool may_start_helpers) {
  if (!has_helpers_ && options_.engine.threads > 1 && bytes > kSmallHeapBytes && may_start_helpers) {
    try {
      start_helpers();
    } catch (const std::bad_alloc&) {  // the next collection tries again
    }
  }
  if (engine_ == nullptr) engine_ = options_.make(for_one_thread(options_));
  return *engine_;
}

void MarkingOnDemand::start_helpers() {
  if (has_helpers_) return;
  const OwnWork own_work;
  const RunsOn everywhere(processors_);
  engine_ = options_.make(options_);
  has_helpers_ = true;
  thread_count_.store(engine_->marker().worker_count(), std::memory_order_relaxed);
}

void MarkingOnDemand::end() {
  ended_time_ = helpers_time();
  forget_helpers();
  engine_.reset();
}

void MarkingOnDemand::abandon() {
  forget_helpers();
  ended_time_ = {};
  static_cast<void>(engine_.release());  // NOLINT(bugprone-unused-return-value)
}

void MarkingOnDemand::forget_helpers() {
  has_helpers_ = false;
  thread_count_.store(options_.engine.threads, std::memory_order_relaxed);
}

}  // namespace jackdaw::gc
