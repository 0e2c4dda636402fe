#include "gc/process/verification.h"

#include <array>
#include <cstdlib>

#include "base/line_text.h"
#include "base/page_memory.h"
#include "base/warn.h"
#include "heap/chunk.h"
#include "heap/layout.h"

namespace jackdaw::gc {

namespace {

constexpr std::array<const char*, kDumpRootsKinds> kPlaces{
    "a stack",
    "thread-local data",
    "static data",
    "what the program pushed",
    "a persistent handle",
    "what waits for a finalizer",
};

// Only the first and last steps of a way to an object are printed, so that they fit into a line.
constexpr std::size_t kStepsTold = 6;

// Returns the offset in `object` of an address in `target`, or the object's size when there is none.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] std::size_t offset_of_reference(
    const heap::Object* object, const heap::Object* target) {
  const std::size_t bytes = heap::Heap::bytes_of(object);
  for (std::size_t offset = 0; offset + heap::kWordBytes <= bytes; offset += heap::kWordBytes) {
    const std::uintptr_t word = heap::words_at(object)[offset / heap::kWordBytes].bits;
    if (word - reinterpret_cast<std::uintptr_t>(target) < heap::Heap::bytes_of(target)) return offset;
  }
  return bytes;
}

}  // namespace

Verification::Verification(heap::Heap& heap, const MarkedHeap& marked, std::uint64_t collection)
    : heap_(heap), model_(marked), collection_(collection) {
  const std::size_t granules = (marked.map.used_end() - marked.map.begin()) / heap::kGranuleBytes;
  found_ = base::PageMemory::allocate(granules / 8 + 1);
  if (found_.empty()) give_up();
}

Verification::~Verification() { base::PageMemory::release(found_); }

void Verification::give_up() {
  base::warn("JACKDAW_VERIFY: no memory for a second marking; this collection is not verified");
  base::PageMemory::release(found_);
  found_ = {};
  way_.clear();
}

void Verification::begin_roots(DumpRoots where, pid_t thread, std::uintptr_t) {
  where_ = kPlaces[static_cast<std::size_t>(where)];
  thread_ = thread;
}

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void Verification::add_words(heap::Words words,
                                                                                   bool all_count) {
  for (const heap::Word& word : words) {
    heap::Object* const object = all_count ? heap::slot_at_any_word(heap_.map(), word.bits)
                                           : heap::slot_at_word(heap_.map(), word.bits);
    if (object != nullptr) follow(reinterpret_cast<std::uintptr_t>(&word), object);
  }
}

void Verification::add_object(std::uintptr_t place, std::uintptr_t address) {
  if (heap::Object* const object = heap::slot_at_any_word(heap_.map(), address)) follow(place, object);
}

void Verification::add_uncollectable() {
  where_ = "an object that is only freed by hand";
  thread_ = 0;
  heap_.for_each_uncollectable([this](heap::Object* object) { follow(0, object); });
}

// The search is depth first, so that the visited steps are the way to each found object.
void Verification::follow(std::uintptr_t place, heap::Object* object) {
  place_ = place;
  find(object);
  Sink sink{*this};
  while (way_.size() != 0) {
    Step& last = way_[way_.size() - 1];
    if (last.is_visited) {
      way_.shorten(way_.size() - 1);
    } else {
      last.is_visited = true;
      model_.visit(MarkTask(last.task), sink);
    }
  }
}

// A free slot is no object.
void Verification::find(heap::Object* object) {
  const heap::Chunk& chunk = *heap::Chunk::of(object);
  if (!chunk.is_allocated(object) || !note(object)) return;
  if (!chunk.is_marked(object)) end_program(object);
  if (!HeapObjectModel::is_leaf(object)) push(HeapObjectModel::task_of(object));
}

void Verification::push(MarkTask task) {
  if (!found_.empty() && !way_.append({task, false})) give_up();
}

// Returns whether the object is found for the first time. Objects behind the heap's former end were made
// meanwhile, marked, by a callback that was asked for roots.
bool Verification::note(const heap::Object* object) {
  const std::size_t granule =
      (reinterpret_cast<std::uintptr_t>(object) - heap_.map().begin()) / heap::kGranuleBytes;
  if (granule / 8 >= found_.size()) return false;
  std::byte& bits = found_[granule / 8];
  const std::byte bit = std::byte{1} << granule % 8;
  const bool is_new = (bits & bit) == std::byte{0};
  bits |= bit;
  return is_new;
}

void Verification::end_program(heap::Object* missing) {
  std::size_t steps = 0;
  const heap::Object* last = nullptr;
  // All parts of one object are one step.
  way_.remove_if([&](const Step& step) {
    if (!step.is_visited || step.task.object() == last) return true;
    last = step.task.object();
    ++steps;
    return false;
  });
  base::LineText line;
  line << "JACKDAW_VERIFY: collection " << collection_ << " did not mark the object at "
       << static_cast<const void*>(missing) << ", of " << std::uint64_t{heap::Heap::bytes_of(missing)}
       << " bytes, which is in use: " << where_;
  if (thread_ != 0) line << " of thread " << static_cast<std::uint64_t>(thread_);
  if (place_ != 0)
    line << " at " << reinterpret_cast<const void*>(place_);  // NOLINT(performance-no-int-to-ptr)
  for (std::size_t step = 0; step < steps; ++step) {
    if (step == kStepsTold && steps > 2 * kStepsTold) {
      line << " -> (" << std::uint64_t{steps - 2 * kStepsTold} << " more)";
      step = steps - kStepsTold;
    }
    const heap::Object* const object = way_[step].task.object();
    const heap::Object* const next = step + 1 < steps ? way_[step + 1].task.object() : missing;
    line << " -> " << static_cast<const void*>(object);
    const std::size_t offset = offset_of_reference(object, next);
    if (offset < heap::Heap::bytes_of(object)) line << "+" << std::uint64_t{offset};
  }
  line << " -> " << static_cast<const void*>(missing);
  base::warn(line.text());
  std::abort();
}

}  // namespace jackdaw::gc
