// HeapObjectModel: ties Jackdaw's heap to the marking engine.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "gc/mark_task.h"
#include "heap/chunk.h"
#include "heap/object.h"
#include "heap/type_descriptor.h"
#include "mark/object_model.h"
#include "mark/prefetch.h"
#include "mark/slices.h"

namespace jackdaw::gc {

/// The object model of Jackdaw's own heap: marks are the chunks' bits, leased block by block, references are
/// where an object's type descriptor says, none in blocks of data, big arrays are visited in slices. Has no
/// state; may be used from any number of threads.
class HeapObjectModel {
 public:
  using Reference = heap::Object*;
  using Task = MarkTask;

  template <mark::Sharing kSharing>
  bool try_mark(Reference object) const {
    heap::Chunk* const chunk = heap::Chunk::of(object);
    if constexpr (kSharing == mark::Sharing::shared) {
      return chunk->mark_shared(object);
    } else {
      return chunk->mark_exclusively(object);
    }
  }

  [[nodiscard]] bool is_marked(Reference object) const { return heap::Chunk::of(object)->is_marked(object); }

  [[nodiscard]] std::atomic<std::uint32_t>& lease_word_of(Reference object) const {
    return heap::Chunk::of(object)->marker_word_of(object);
  }

  [[nodiscard]] bool is_leaf(Reference object) const {
    return heap::Chunk::of(object)->contents_of(object) == heap::Contents::data;
  }

  [[nodiscard]] Task task_of(Reference object) const { return MarkTask(object); }

  void prefetch_mark(Reference object) const {
    mark::prefetch_to_write(heap::Chunk::of(object)->mark_address(object));
  }

  /// Most objects are small: their header and first fields lie in the line of the header and the next one.
  void prefetch(Task task) const {
    const char* const start = reinterpret_cast<const char*>(task.object());
    __builtin_prefetch(start);
    __builtin_prefetch(start + kCacheLineBytes / 2);
  }

  template <typename Sink>
  void visit(Task task, Sink& sink) const {
    using Layout = heap::TypeDescriptor::Layout;
    heap::Object* const object = task.object();
    const heap::TypeDescriptor& type = *object->type();
    // Not a switch: the compiler would look for the commonest layout last.
    const Layout layout = type.layout();
    if (layout == Layout::words) [[likely]] {
      visit_slots(object->slot(type.words().first), type.words().count, sink);
    } else if (layout == Layout::offsets) {
      for (const std::uint32_t word : type.reference_words()) visit_slot(*object->slot(word), sink);
    } else if (layout == Layout::reference_array) {
      visit_array(task, *object, sink);
    }
  }

 private:
  static constexpr std::size_t kCacheLineBytes = 64;

  template <typename Sink>
  static void visit_slot(heap::Object* reference, Sink& sink) {
    if (reference != nullptr) sink.reference(reference);
  }

  template <typename Sink>
  static void visit_slots(heap::Object* const* slots, std::uint64_t count, Sink& sink) {
#pragma GCC unroll 2  // measured: docs/performance.md
    for (heap::Object* const* const end = slots + count; slots != end; ++slots) visit_slot(*slots, sink);
  }

  template <typename Sink>
  static void visit_array(Task task, const heap::Object& array, Sink& sink) {
    const std::uint64_t length = array.array_length();
    if (!mark::Slices::is_cut(length)) {
      visit_slots(array.element(0), length, sink);
      return;
    }
    const mark::Slices slices(length);
    std::uint32_t node = task.node() == 0 ? mark::Slices::kWhole : task.node();
    while (!slices.is_slice(node)) {
      const std::uint32_t waiting = mark::Slices::waiting_half(node);
      const mark::Slices::Range rest = slices.range_of(waiting);
      if (rest.begin < rest.end) sink.task(MarkTask(&array, waiting));
      node = mark::Slices::kept_half(node);
    }
    const mark::Slices::Range range = slices.range_of(node);
    visit_slots(array.element(range.begin), range.end - range.begin, sink);
  }
};

static_assert(mark::LeasingObjectModel<HeapObjectModel> && mark::LeafObjectModel<HeapObjectModel>);

}  // namespace jackdaw::gc
