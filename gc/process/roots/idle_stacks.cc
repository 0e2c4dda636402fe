#include "gc/process/roots/idle_stacks.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <span>
#include <utility>

#include "base/prefetch.h"
#include "gc/marking/object_model.h"
#include "gc/marking/share_until.h"
#include "heap/chunk.h"

namespace jackdaw::gc {

namespace {

// A round of searching ends when this number of objects was found, to mark from them.
constexpr std::size_t kEnough = std::size_t{1} << 16;
// There is room for more, which parts that were begun may still find.
constexpr std::size_t kMost = 4 * kEnough;

}  // namespace

// Marks what the stacks of one mark thread refer to. An object's mark is prefetched, and set some references
// later.
class IdleStacks::Finder {
 public:
  explicit Finder(IdleStacks& stacks) : stacks_(stacks) {}
  ~Finder() {
    for (heap::Object* const object : waiting_) mark(object);
    hand_over();
  }
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;

  void operator()(heap::Object* object) {
    base::prefetch_to_write(heap::Chunk::of(object)->mark_address(object));
    mark(std::exchange(waiting_[next_++ % waiting_.size()], object));
  }

 private:
  void mark(heap::Object* object) {
    if (object == nullptr || !heap::Chunk::of(object)->mark_shared(object) ||
        HeapObjectModel::is_leaf(object))
      return;
    found_[count_++] = HeapObjectModel::task_of(object);
    if (count_ == found_.size()) hand_over();
  }
  void hand_over() {
    const std::lock_guard lock(stacks_.gathering_);
    const std::size_t room = kMost - stacks_.found_.size();
    if (count_ > room) stacks_.collection_.visit_all_marked_later();
    for (const MarkTask task : std::span(found_).first(std::min(count_, room)))
      stacks_.found_.append_reserved(task);
    count_ = 0;
  }

  IdleStacks& stacks_;
  std::array<heap::Object*, 32> waiting_{};
  std::size_t next_ = 0;
  std::array<MarkTask, 256> found_;
  std::size_t count_ = 0;
};

bool IdleStacks::reserve() { return found_.reserve(kMost); }

std::uint64_t IdleStacks::mark() {
  const bool only_changed = fibers_.take_tracked();
  // Relaxed, here and below: totals and hints, which the end of a round publishes.
  bytes_.store(0, std::memory_order_relaxed);
  for (std::uint32_t done = 0; done < fibers_.part_count();) {
    const auto is_enough = [this] { return has_enough(); };
    const auto mark_next = [=, this](std::uint32_t part) { mark_part(done + part, only_changed); };
    done += share_until(collection_.engine().marker(), fibers_.part_count() - done, is_enough, mark_next);
    collection_.mark_again({}, found_.span());
    found_.clear();
  }
  return bytes_.load(std::memory_order_relaxed);
}

bool IdleStacks::has_enough() {
  const std::lock_guard lock(gathering_);
  return found_.size() >= kEnough;
}

void IdleStacks::mark_part(std::uint32_t part, bool only_changed) {
  Finder find(*this);
  std::uint64_t bytes = 0;
  for (const FiberStack& stack : fibers_.part(part)) {
    if (stack.scanned_from == FiberStack::kRuns) continue;
    const base::AddressRange used = stack.used();
    bytes += used.end - used.begin;
    if (only_changed && stack.scanned_from == used.begin) continue;
    FiberStack::for_each_words(stack, used, [&](heap::Words words) {
      heap::for_each_slot_in_stack(words, heap_.map(), [&](heap::Object* object) { find(object); });
    });
  }
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace jackdaw::gc
