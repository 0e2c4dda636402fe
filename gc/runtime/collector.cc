#include "gc/runtime/collector.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/check.h"
#include "gc/runtime/mutator.h"

namespace jackdaw::gc {

namespace {

using Clock = std::chrono::steady_clock;

const CollectorOptions& checked(const CollectorOptions& options) {
  constexpr double kMostGrowth = 1000;
  if (!(options.growth >= 0 && options.growth <= kMostGrowth)) {
    throw std::invalid_argument("CollectorOptions::growth must be from 0 to 1000");
  }
  return options;
}

}  // namespace

// Stops all mutators until it is destroyed.
class Collector::WorldStopped {
 public:
  WorldStopped(Collector& collector, std::unique_lock<std::mutex>& lock, std::uint32_t running_of_caller)
      : collector_(collector) {
    collector_.stop_requested_.store(true, std::memory_order_relaxed);
    collector_.heap_.budget().set(0);  // makes the next request for a block reach a safepoint
    collector_.world_changed_.wait(lock, [&] { return collector_.running_mutators_ == running_of_caller; });
  }
  ~WorldStopped() {
    collector_.heap_.budget().set(collector_.budget_);
    collector_.stop_requested_.store(false, std::memory_order_relaxed);
    collector_.world_changed_.notify_all();
  }
  WorldStopped(const WorldStopped&) = delete;
  WorldStopped& operator=(const WorldStopped&) = delete;

 private:
  Collector& collector_;
};

Collector::Collector(const CollectorOptions& options)
    : options_(checked(options)),
      heap_(options.heap_limit_bytes, memory_nodes(options.memory)),
      collection_(heap_),
      engine_(options.marking.make(options.marking)) {
  if (options_.automatic) set_budget(options_.minimum_budget_bytes);
}

Collector::~Collector() { JACKDAW_CHECK(mutators_.empty()); }

void Collector::set_budget(std::uint64_t bytes) {
  budget_ = bytes;
  heap_.budget().set(bytes);
}

void Collector::add_roots(std::span<heap::Object* const> slots) {
  const std::lock_guard lock(mutex_);
  root_spans_.push_back(slots);
}

void Collector::remove_roots(std::span<heap::Object* const> slots) {
  const std::lock_guard lock(mutex_);
  const auto same = [&](std::span<heap::Object* const> span) {
    return span.data() == slots.data() && span.size() == slots.size();
  };
  const auto found = std::find_if(root_spans_.begin(), root_spans_.end(), same);
  if (found != root_spans_.end()) root_spans_.erase(found);
}

std::uint64_t Collector::collections() const {
  const std::lock_guard lock(mutex_);
  return collections_;
}

void Collector::register_mutator(Mutator* mutator) {
  std::unique_lock lock(mutex_);
  world_changed_.wait(lock, [this] { return !is_stop_requested(); });
  mutators_.push_back(mutator);
  ++running_mutators_;
}

void Collector::unregister_mutator(Mutator* mutator) {
  const std::lock_guard lock(mutex_);
  JACKDAW_CHECK(running_mutators_ != 0 && running_mutators_ <= mutators_.size());
  std::erase(mutators_, mutator);
  --running_mutators_;
  world_changed_.notify_all();
}

void Collector::leave_running() {
  const std::lock_guard lock(mutex_);
  JACKDAW_CHECK(running_mutators_ != 0);
  --running_mutators_;
  world_changed_.notify_all();
}

void Collector::enter_running() {
  std::unique_lock lock(mutex_);
  world_changed_.wait(lock, [this] { return !is_stop_requested(); });
  ++running_mutators_;
}

void Collector::wait_at_safepoint() {
  std::unique_lock lock(mutex_);
  wait_while_stopped(lock);
}

void Collector::wait_while_stopped(std::unique_lock<std::mutex>& lock) {
  if (!is_stop_requested()) return;
  JACKDAW_CHECK(running_mutators_ != 0);
  --running_mutators_;
  world_changed_.notify_all();
  world_changed_.wait(lock, [this] { return !is_stop_requested(); });
  ++running_mutators_;
}

CollectionResult Collector::collect() {
  std::unique_lock lock(mutex_);
  world_changed_.wait(lock, [this] { return !is_stop_requested(); });
  return collect_stopped(lock, 0);
}

std::unique_ptr<MarkEngine> Collector::exchange_marking(std::unique_ptr<MarkEngine> engine) {
  std::unique_lock lock(mutex_);
  world_changed_.wait(lock, [this] { return !is_stop_requested(); });
  return std::exchange(engine_, std::move(engine));
}

// A collection itself needs a little memory, to gather the roots.
bool Collector::collect_if_memory_allows(std::unique_lock<std::mutex>& lock) {
  try {
    collect_stopped(lock, 1);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

CollectionResult Collector::collect_as_mutator() {
  std::unique_lock lock(mutex_);
  wait_while_stopped(lock);
  return collect_stopped(lock, 1);
}

CollectionResult Collector::collect_stopped(std::unique_lock<std::mutex>& lock,
                                            std::uint32_t running_of_caller) {
  const WorldStopped world_stopped(*this, lock, running_of_caller);
  const Clock::time_point start = Clock::now();
  collection_.begin(*engine_);
  engine_->marker().wake_helpers();
  gather_roots();
  // From here on nothing throws: between clearing and marking, live objects look free.
  collection_.mark(roots_);
  recent_use_.note(heap_.usage().used);
  collection_.sweep(heap::OwnedBlocks::taken_back);
  heap_.release_empty_chunks(recent_use_.most());
  CollectionResult result = std::move(collection_.finish(start));
  if (options_.automatic) {
    const auto grown = static_cast<std::uint64_t>(options_.growth * static_cast<double>(result.live_bytes));
    budget_ = std::max<std::uint64_t>(options_.minimum_budget_bytes, grown);
  }
  ++collections_;
  return result;
}

void Collector::gather_roots() {
  roots_.clear();
  const auto add = [this](heap::Object* object) {
    if (object != nullptr) roots_.push_back(object);
  };
  for (const auto& span : root_spans_) std::for_each(span.begin(), span.end(), add);
  for (const Mutator* const mutator : mutators_) {
    for (const Handle* handle = mutator->handles_; handle != nullptr; handle = handle->next_)
      add(handle->object_);
  }
}

}  // namespace jackdaw::gc
