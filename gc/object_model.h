// HeapObjectModel: ties Jackdaw's heap to the marking engine.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "gc/layout_word.h"
#include "gc/mark_task.h"
#include "gc/weak_references.h"
#include "heap/chunk.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "heap/type_descriptor.h"
#include "heap/word_scan.h"
#include "mark/always_inline.h"
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
  JACKDAW_ALWAYS_INLINE bool try_mark(Reference object) const {
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

  [[nodiscard]] JACKDAW_ALWAYS_INLINE bool is_leaf(Reference object) const {
    return heap::Chunk::of(object)->contents_of(object) == heap::Contents::data;
  }

  // Of what a word led to its block's shape is at hand.
  [[nodiscard]] JACKDAW_ALWAYS_INLINE bool is_leaf(heap::FoundSlot found) const {
    return found.shape.contents() == heap::Contents::data;
  }
  [[nodiscard]] JACKDAW_ALWAYS_INLINE Task task_of(heap::FoundSlot found) const {
    return MarkTask::of_slot(found.object, found.shape);
  }

  [[nodiscard]] JACKDAW_ALWAYS_INLINE Task task_of(Reference object) const {
    const heap::Chunk& chunk = *heap::Chunk::of(object);
    const heap::Contents contents = chunk.contents_of(object);
    if (contents == heap::Contents::references) [[likely]]
      return MarkTask(object);
    if (contents != heap::Contents::words) return MarkTask(object, MarkTask::Form::by_kind);
    return task_of_words(object);
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
  JACKDAW_ALWAYS_INLINE void visit(Task task, Sink& sink) const {
    using Layout = heap::TypeDescriptor::Layout;
    heap::Object* const object = task.object();
    if (task.form() != MarkTask::Form::references) [[unlikely]] {
      visit_without_type(task, sink);
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
      visit_array(task, sink);
    }
  }

 private:
  static constexpr std::size_t kCacheLineBytes = 64;

  template <typename Sink>
  JACKDAW_ALWAYS_INLINE static void visit_slot(heap::Object* reference, Sink& sink) {
    if (reference != nullptr) sink.reference(reference);
  }

  template <typename Sink>
  JACKDAW_ALWAYS_INLINE static void visit_slots(heap::Object* const* slots, std::uint64_t count, Sink& sink) {
#pragma GCC unroll 2  // measured: docs/performance.md
    for (heap::Object* const* const end = slots + count; slots != end; ++slots) visit_slot(*slots, sink);
  }

  template <typename Sink>
  [[gnu::noinline]] static void visit_array(MarkTask task, Sink& sink) {
    heap::Object& array = *task.object();
    const mark::Slices::Range part = part_of(task, array.array_length(), sink);
    visit_slots(array.element(part.begin), part.end - part.begin, sink);
  }

  JACKDAW_ALWAYS_INLINE static Task task_of_words(Reference object) {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    const heap::BlockShape shape = heap::Chunk::of(object)->map().shape_at(address);
    // The block may be diverted.
    return shape.holds_slots() ? MarkTask::of_slot(object, shape.with_contents(heap::Contents::words))
                               : MarkTask(object, MarkTask::Form::words);
  }

  template <typename Sink>
  JACKDAW_ALWAYS_INLINE static void visit_without_type(MarkTask task, Sink& sink) {
    heap::Object* const object = task.object();
    const auto* const words = reinterpret_cast<const std::uintptr_t*>(object);
    if (task.form() == MarkTask::Form::small_words) {
      scan({words, task.small_words()}, heap::Chunk::of(object)->map(), sink);
    } else if (task.form() == MarkTask::Form::words) {
      visit_large_words(task, sink);
    } else {
      visit_by_kind(object, sink);
    }
  }

  template <typename Sink>
  JACKDAW_ALWAYS_INLINE static void scan(heap::Words words, const heap::BlockMap& map, Sink& sink) {
    if (map.displacements() != nullptr) [[unlikely]] {
      scan_displaced(words, map, sink);
      return;
    }
    heap::report_slots_at(words, map, sink);
  }

  template <typename Sink>
  [[gnu::noinline]] static void scan_displaced(heap::Words words, const heap::BlockMap& map, Sink& sink) {
    for (const std::uintptr_t word : words) {
      if (heap::Object* const reference = heap::slot_at_displaced_word(map, word)) sink.reference(reference);
    }
  }

  template <typename Sink>
  [[gnu::noinline]] static void visit_large_words(MarkTask task, Sink& sink) {
    heap::Object* const object = task.object();
    const std::uint64_t count = heap::Chunk::large_bytes_of(object) / heap::kWordBytes;
    const mark::Slices::Range part = part_of(task, count, sink);
    const auto* const words = reinterpret_cast<const std::uintptr_t*>(object);
    scan({words + part.begin, part.end - part.begin}, heap::Chunk::of(object)->map(), sink);
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
        visit_undiverted(object, kind.contents, sink);
        return;
      }
    }
    if (kind.layout == LayoutWord::traced().bits()) [[likely]] {
      SinkVisitor<Sink> visitor(chunk.map(), sink);
      LayoutWord::trace(object, visitor);
      return;
    }
    const std::size_t bytes = heap::Heap::bytes_of(object);
    const LayoutWord layout(kind.layout + (kind.layout_adds_bytes ? bytes : 0));
    layout.visit(object, bytes, chunk.map(), sink);
  }

  // An object of a kind with other contents, which came this way because it is the key of ephemerons.
  template <typename Sink>
  static void visit_undiverted(heap::Object* object, heap::Contents contents, Sink& sink) {
    if (contents == heap::Contents::references) {
      HeapObjectModel().visit(MarkTask(object), sink);
    } else {
      visit_without_type(task_of_words(object), sink);
    }
  }

  // Which of an object's elements to visit now: all, or those of the part that the task names. Other parts of
  // a big object are left for later.
  template <typename Sink>
  static mark::Slices::Range part_of(MarkTask task, std::uint64_t elements, Sink& sink) {
    return mark::Slices::is_cut(elements) ? cut_part_of(task, elements, sink)
                                          : mark::Slices::Range{0, elements};
  }

  template <typename Sink>
  [[gnu::noinline]] static mark::Slices::Range cut_part_of(MarkTask task, std::uint64_t elements,
                                                           Sink& sink) {
    const mark::Slices slices(elements);
    std::uint32_t node = task.node() == 0 ? mark::Slices::kWhole : task.node();
    while (!slices.is_slice(node)) {
      const std::uint32_t waiting = mark::Slices::waiting_half(node);
      const mark::Slices::Range rest = slices.range_of(waiting);
      if (rest.begin < rest.end) sink.task(MarkTask(task, waiting));
      node = mark::Slices::kept_half(node);
    }
    return slices.range_of(node);
  }
};

static_assert(mark::LeasingObjectModel<HeapObjectModel> && mark::LeafObjectModel<HeapObjectModel>);

}  // namespace jackdaw::gc
