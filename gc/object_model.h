// HeapObjectModel: ties Jackdaw's heap to the marking engine.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "gc/layout_word.h"
#include "gc/mark_task.h"
#include "gc/weak_references.h"
#include "heap/chunk.h"
#include "heap/object.h"
#include "heap/type_descriptor.h"
#include "heap/word_scan.h"
#include "mark/object_model.h"
#include "mark/prefetch.h"
#include "mark/slices.h"

namespace jackdaw::gc {

/// The object model of Jackdaw's own heap: marks are the chunks' bits, leased block by block; references are
/// where an object's type descriptor says, anywhere in blocks of words, nowhere in blocks of data, and else
/// where the kind's layout says; big objects are visited in slices, unless a layout of their kind tells all.
/// Has no state; may be used from any number of threads.
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

  [[nodiscard]] Task task_of(Reference object) const {
    return MarkTask(object, heap::Chunk::of(object)->contents_of(object));
  }

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
    if (task.contents() != heap::Contents::references) [[unlikely]] {
      task.contents() == heap::Contents::words ? visit_words(task, *object, sink)
                                               : visit_by_kind(object, sink);
      return;
    }
    const heap::TypeDescriptor& type = *object->type();
    // Not a switch: the compiler would look for the commonest layout last.
    const Layout layout = type.layout();
    if (layout == Layout::words) [[likely]] {
      visit_slots(object->slot(type.words().first), type.words().count, sink);
    } else if (layout == Layout::offsets) {
      for (const std::uint32_t word : type.reference_words()) visit_slot(*object->slot(word), sink);
    } else if (layout == Layout::reference_array) {
      visit_slices(task, object->array_length(), sink, [&](std::uint64_t begin, std::uint64_t count) {
        visit_slots(object->element(begin), count, sink);
      });
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
  static void visit_words(MarkTask task, const heap::Object& object, Sink& sink) {
    const heap::BlockMap& map = heap::Chunk::of(&object)->map();
    const auto* const words = reinterpret_cast<const std::uintptr_t*>(&object);
    visit_slices(task, bytes_of(object, map) / heap::kWordBytes, sink,
                 [&](std::uint64_t begin, std::uint64_t count) {
                   heap::for_each_slot_in({words + begin, count}, map,
                                          [&](heap::Object* reference) { sink.reference(reference); });
                 });
  }

  template <typename Sink>
  [[gnu::noinline]] static void visit_by_kind(heap::Object* object, Sink& sink) {
    const heap::Chunk& chunk = *heap::Chunk::of(object);
    const heap::Kind& kind = chunk.kind_table()[chunk.kind_of(object)];
    if (chunk.is_diverted(object)) [[unlikely]] {
      WeakReferences::of_process().ephemerons().for_each_value_of(
          object, [&](heap::Object* value) { sink.reference(value); });
      if (kind.contents == heap::Contents::data) return;
      if (kind.contents != heap::Contents::by_kind) {
        HeapObjectModel().visit(MarkTask(object, kind.contents), sink);
        return;
      }
    }
    const std::size_t bytes = bytes_of(*object, chunk.map());
    const LayoutWord layout(kind.layout + (kind.layout_adds_bytes ? bytes : 0));
    layout.visit(object, bytes, chunk.map(), sink);
  }

  // The bytes of an object without a descriptor, its slot's padding included.
  static std::uint64_t bytes_of(const heap::Object& object, const heap::BlockMap& map) {
    const heap::BlockShape shape = map.shape_at(reinterpret_cast<std::uintptr_t>(&object));
    return shape.is_large() ? heap::Chunk::large_bytes_of(&object) : shape.slot_bytes();
  }

  // Calls visit(begin, count) for the elements of an object, or of the part that the task names, and leaves
  // other parts of a big one for later.
  template <typename Sink, typename Visit>
  static void visit_slices(MarkTask task, std::uint64_t elements, Sink& sink, Visit visit) {
    if (!mark::Slices::is_cut(elements)) {
      visit(0, elements);
      return;
    }
    const mark::Slices slices(elements);
    std::uint32_t node = task.node() == 0 ? mark::Slices::kWhole : task.node();
    while (!slices.is_slice(node)) {
      const std::uint32_t waiting = mark::Slices::waiting_half(node);
      const mark::Slices::Range rest = slices.range_of(waiting);
      if (rest.begin < rest.end) sink.task(MarkTask(task, waiting));
      node = mark::Slices::kept_half(node);
    }
    const mark::Slices::Range range = slices.range_of(node);
    visit(range.begin, range.end - range.begin);
  }
};

static_assert(mark::LeasingObjectModel<HeapObjectModel> && mark::LeafObjectModel<HeapObjectModel>);

}  // namespace jackdaw::gc
