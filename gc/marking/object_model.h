// HeapObjectModel: connects Jackdaw's heap with the marking engine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>

#include "base/always_inline.h"
#include "base/check.h"
#include "base/prefetch.h"
#include "gc/marking/candidate_picker.h"
#include "gc/marking/layout_word.h"
#include "gc/marking/mark_engine.h"
#include "gc/marking/mark_task.h"
#include "gc/weak/weak_references.h"
#include "heap/chunk.h"
#include "heap/granule_bits.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "heap/type_descriptor.h"
#include "heap/word_scan.h"
#include "mark/mark_loop_constants.h"
#include "mark/object_model.h"
#include "mark/slices.h"

namespace jackdaw::gc {

/// The object model of Jackdaw's heap. Marks are the chunks' bits, biased block by block. References are
/// where an object's type descriptor says, anywhere in blocks of words, nowhere in blocks of data, and
/// otherwise where the kind's layout says. Big objects are visited in slices, unless they have such a layout.
/// Any thread.
class HeapObjectModel {
 public:
  using Reference = heap::Object*;
  using Task = MarkTask;
  using Outcome = mark::MarkOutcome<Task>;
  /// A word that may be the address of an object.
  using Candidate = CandidatePicker::Candidate;

  /// Makes a model for visits to sinks that take no candidates, of objects without weak references.
  HeapObjectModel() = default;
  /// Makes a model for all visits to objects of a heap, with its present displacements.
  explicit HeapObjectModel(const MarkedHeap& heap)
      : map_(&heap.map),
        view_(heap.map),
        picker_(heap.map),
        weak_references_(heap.weak_references),
        program_runs_(heap.program_runs) {}

  [[nodiscard]] JACKDAW_ALWAYS_INLINE Outcome mark(Reference object, mark::Sharing sharing) const {
    heap::Chunk* const chunk = heap::Chunk::of(object);
    if (is_known_exclusive(sharing)) {
      const std::size_t granule = heap::Chunk::granule_of(object);
      if (!chunk->mark_exclusively_at(object, granule)) return {};
      return outcome_of(object, chunk->contents_at(granule));
    }
    if (!set_mark(object, sharing)) return {};
    return outcome_of(object, chunk->contents_at(heap::GranuleBits::granule_of(object)));
  }
  // Marks what a word points to. The block's shape is known, and the slot's start matters only if the word is
  // an interior pointer. If a granule's mark is clear, an object starts there (heap::Heap::clear_marks).
  [[nodiscard]] JACKDAW_ALWAYS_INLINE Outcome mark(heap::FoundStart found, mark::Sharing sharing) const {
    return set_mark(found.granule, sharing) ? outcome_of_slot(found.granule, found.shape) : Outcome();
  }
  [[nodiscard]] JACKDAW_ALWAYS_INLINE Outcome mark(heap::FoundPlace found, mark::Sharing sharing) const {
    heap::Object* start = found.granule;
    if (!set_mark(start, sharing)) {
      start = found.slot();
      if (start == found.granule || !set_mark(start, sharing)) return {};
    }
    return outcome_of_slot(start, found.shape);
  }

  [[nodiscard]] bool is_marked(Reference object) const { return heap::Chunk::of(object)->is_marked(object); }

  [[nodiscard]] std::atomic<std::uint32_t>& bias_word_of(Reference object) const {
    return heap::Chunk::of(object)->marker_word_of(object);
  }
  // Any granule of the block leads to its word.
  [[nodiscard]] std::atomic<std::uint32_t>& bias_word_of(heap::FoundStart found) const {
    return bias_word_of(found.granule);
  }

  /// Whether the object's block says that it holds no references.
  [[nodiscard]] JACKDAW_ALWAYS_INLINE static bool is_leaf(Reference object) {
    return heap::Chunk::of(object)->contents_of(object) == heap::Contents::data;
  }
  /// Returns the task to visit an object that is no leaf.
  [[nodiscard]] JACKDAW_ALWAYS_INLINE static Task task_of(Reference object) {
    const heap::Contents contents = heap::Chunk::of(object)->contents_of(object);
    if (contents == heap::Contents::references) [[likely]]
      return MarkTask(object);
    if (contents != heap::Contents::words) return MarkTask(object, MarkTask::Form::by_kind);
    return task_of_words(object);
  }

  void prefetch_mark(Reference object) const {
    base::prefetch_to_write(heap::Chunk::of(object)->mark_address(object));
  }

  /// Prefetches all lines of a small untyped object, up to kMostLines. For other objects it prefetches two
  /// lines: most are small, with their header and first fields there.
  JACKDAW_ALWAYS_INLINE void prefetch(Task task) const {
    if (task.is_whole_of_references()) {
      prefetch(task, task.whole_object());
      return;
    }
    base::prefetch_to_read(task.object());
    if (task.is_small_on_one_line()) return;
    prefetch_more_lines(task.object(), task.form() == MarkTask::Form::small_words ? task.small_words() : 0);
  }
  /// Prefetches the same lines of a found object, whose number of words is already known.
  JACKDAW_ALWAYS_INLINE void prefetch(Task task, heap::FoundStart found) const {
    if (found.shape.fits_line()) {
      base::prefetch_to_read(found.granule);  // the object's only line
    } else {
      base::prefetch_to_read(task.object());
      prefetch_more_lines(task.object(), found.shape.words());
    }
  }
  JACKDAW_ALWAYS_INLINE void prefetch(Task, Reference object) const {
    base::prefetch_to_read(object);
    prefetch_more_lines(object, 0);
  }

  JACKDAW_ALWAYS_INLINE void prefetch_following(Task task) const {
    base::prefetch_to_read(reinterpret_cast<const char*>(task.object()) + kBytesBehind);
  }

  /// Whether the task is a part of a big object, or a big object whose visit makes parts.
  [[nodiscard]] JACKDAW_ALWAYS_INLINE bool is_slice(Task task) const { return task.may_be_slice(); }

  /// Returns the memory node of the task's object, where threads have chunks near them (heap::MemoryNodes).
  [[nodiscard]] std::uint32_t node_of(Task task) const { return heap::Chunk::of(task.object())->node(); }

  template <typename Sink>
  JACKDAW_ALWAYS_INLINE void visit(Task task, Sink& sink) const {
    using Layout = heap::TypeDescriptor::Layout;
    heap::Object* const object = task.object();
    if (task.form() != MarkTask::Form::references) [[unlikely]] {
      visit_without_type(task, sink);
      return;
    }
    const heap::TypeDescriptor& type = *object->type();
    // A switch is avoided, since the compiler would test for the most frequent layout last.
    const Layout layout = type.layout();
    if (layout == Layout::words) [[likely]] {
      visit_slots(object->slot(type.words().first), type.words().count, sink);
    } else if (layout == Layout::offsets) {
      for (const std::uint32_t word : type.reference_words()) visit_slot(*object->slot(word), sink);
    } else if (layout == Layout::reference_array) {
      apart(sink, [&](Sink& other) { visit_array(task, other); });
    }
  }

  /// Visits an object whose type says where its references are, unless it is a big array, and returns true.
  /// Does nothing and returns false for any other.
  template <typename Sink>
  JACKDAW_ALWAYS_INLINE bool visit_at_once(Task task, Sink& sink) const {
    if (!task.is_whole_of_references()) return false;
    heap::Object* const object = task.whole_object();
    const heap::TypeDescriptor& type = *object->type();
    if (type.layout() == heap::TypeDescriptor::Layout::words) [[likely]] {
      visit_slots(object->slot(type.words().first), type.words().count, sink);
      return true;
    }
    if (type.layout() == heap::TypeDescriptor::Layout::reference_array) {
      const std::uint64_t length = object->array_length();
      if (mark::Slices::is_cut(length)) return false;
      if (length != 0) visit_slots(object->element(0), length, sink);
    } else {
      for (const std::uint32_t word : type.reference_words()) visit_slot(*object->slot(word), sink);
    }
    return true;
  }

  /// Reports the objects that the words point into, and returns how many words do. O(1) for each, and reads
  /// only the map.
  template <typename Sink>
  JACKDAW_ALWAYS_INLINE std::size_t examine(std::span<const Candidate> words, Sink& sink) const {
    return heap::report_references(words, view_, *map_, sink);
  }

  [[nodiscard]] JACKDAW_ALWAYS_INLINE bool is_picked_from(Task task) const { return task.is_small_words(); }
  /// Visits a task that is picked from, without candidates, if its object has few words, and returns true.
  /// Otherwise does nothing and returns false.
  // ThreadSanitizer is off here: it would report the program's concurrent writes, which dirty pages reveal.
  template <typename Sink>
  [[gnu::no_sanitize_thread]] JACKDAW_ALWAYS_INLINE bool visit_few_words(Task task, Sink& sink) const {
    if (!task.is_small_words() || task.small_words() > kFewWords) return false;
    heap::report_references_in(task.small_object(), view_, *map_, sink);
    return true;
  }
  /// Picks candidates from the first of the tasks, up to one that is not a small untyped object.
  [[nodiscard]] CandidatePicker::Picked pick_from(std::span<const Task> tasks, std::size_t enough,
                                                  Candidate* out) const {
    return picker_.pick_from(tasks, enough, out);
  }

 private:
  static constexpr std::size_t kMostLines = 8;
  // Larger objects are searched with vector instructions, also in narrow heaps.
  static constexpr std::uint32_t kFewWords = 8;
  // An element of a slice of a large object is this many words: few of them are references as a rule, and the
  // processor's prefetcher begins anew with each slice.
  static constexpr std::uint64_t kWordsTogether = 8;
  // Measured with lists: prefetching 256 bytes ahead takes 25 ns an object, 512 18, 1024 and 2048 16, and
  // nothing 30 to 40.
  static constexpr std::size_t kBytesBehind = 1024;
  // Prefetches all lines but the first of an object of `words` words, or of an unknown number if that is 0.
  JACKDAW_ALWAYS_INLINE static void prefetch_more_lines(const heap::Object* object, std::uint32_t words) {
    const char* const start = reinterpret_cast<const char*>(object);
    base::prefetch_to_read(start + base::kCacheLineBytes / 2);
    const std::size_t bytes = std::min(words * heap::kWordBytes, kMostLines * base::kCacheLineBytes);
    for (std::size_t next = 3 * base::kCacheLineBytes / 2; next < bytes; next += base::kCacheLineBytes)
      base::prefetch_to_read(start + next);
  }

  [[nodiscard]] JACKDAW_ALWAYS_INLINE static bool set_mark(heap::Object* object, mark::Sharing sharing) {
    heap::Chunk* const chunk = heap::Chunk::of(object);
    return sharing == mark::Sharing::shared ? chunk->mark_shared(object) : chunk->mark_exclusively(object);
  }
  // Whether the compiler knows that a worker marks alone. In rounds of several workers, which also read the
  // block's bias word, compilers make slower code from the granule than from the address.
  [[nodiscard]] JACKDAW_ALWAYS_INLINE static bool is_known_exclusive(mark::Sharing sharing) {
    return __builtin_constant_p(sharing) && sharing == mark::Sharing::exclusive;
  }

  // Returns the outcome for an object that was just marked, and whose block has these contents.
  [[nodiscard]] JACKDAW_ALWAYS_INLINE static Outcome outcome_of(heap::Object* object,
                                                                heap::Contents contents) {
    if (contents == heap::Contents::references) [[likely]]
      return MarkTask(object);
    return contents == heap::Contents::data ? Outcome::leaf() : task_of(object);
  }
  [[nodiscard]] JACKDAW_ALWAYS_INLINE static Outcome outcome_of_slot(heap::Object* start,
                                                                     heap::BlockShape shape) {
    if (shape.holds_data()) return Outcome::leaf();
    return MarkTask::of_slot(start, shape);
  }

  // Calls with a copy of a sink that is only a handle: the sink itself, whose address does not escape, then
  // stays in registers.
  template <typename Sink, typename Call>
  JACKDAW_ALWAYS_INLINE static void apart(Sink& sink, Call call) {
    if constexpr (mark::CandidateSink<Sink>) {
      Sink copy = sink;
      call(copy);
    } else {
      call(sink);
    }
  }

  template <typename Sink>
  JACKDAW_ALWAYS_INLINE static void visit_slot(heap::Object* reference, Sink& sink) {
    if (reference != nullptr) sink.reference(reference);
  }

  // Visits at least one slot. The last of an odd number comes first.
  template <typename Sink>
  JACKDAW_ALWAYS_INLINE static void visit_slots(const heap::Object::Slot* slots, std::uint64_t count,
                                                Sink& sink) {
    JACKDAW_CHECK(count != 0);
    const heap::Object::Slot* end = slots + count;
    if (count % 2 != 0) {
      visit_slot(*--end, sink);
      if (slots == end) return;
    }
    do {  // two at a time: see docs/results.md
      visit_slot(slots[0], sink);
      visit_slot(slots[1], sink);
      slots += 2;
    } while (slots != end);
  }

  template <typename Sink>
  [[gnu::noinline]] static void visit_array(MarkTask task, Sink& sink) {
    heap::Object& array = *task.object();
    const mark::Slices::Range part = part_of(task, array.array_length(), sink);
    if (part.begin == part.end) return;
    if constexpr (requires { sink.batch(); }) {
      auto batch = sink.batch();
      visit_slots(array.element(part.begin), part.end - part.begin, batch);
      batch.end();
    } else {
      visit_slots(array.element(part.begin), part.end - part.begin, sink);
    }
  }

  JACKDAW_ALWAYS_INLINE static Task task_of_words(Reference object) {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    const heap::BlockShape shape = heap::Chunk::of(object)->map().shape_at(address);
    // Visits to the block may be intercepted, so the shape does not say the contents.
    return shape.holds_slots() ? MarkTask::of_slot(object, shape.with_contents(heap::Contents::words))
                               : MarkTask(object, MarkTask::Form::words);
  }

  template <typename Sink>
  JACKDAW_ALWAYS_INLINE void visit_without_type(MarkTask task, Sink& sink) const {
    heap::Object* const object = task.object();
    if (task.form() == MarkTask::Form::small_words) {
      scan_small(task.small_object(), sink);
    } else if (task.form() == MarkTask::Form::words) {
      apart(sink, [&](Sink& other) { visit_large_words(task, other); });
    } else {
      apart(sink, [&](Sink& other) { visit_by_kind(object, other); });
    }
  }

  // Visits the words of a slot.
  template <typename Sink>
  JACKDAW_ALWAYS_INLINE void scan_small(heap::Words words, Sink& sink) const {
    if constexpr (mark::CandidateSink<Sink>) {
      pick_out(words, sink);
    } else {
      scan(words, heap::Chunk::of(words.data())->map(), sink);
    }
  }

  // Visits at most kCandidatesAtOnce words.
  template <typename Sink>
  JACKDAW_ALWAYS_INLINE void pick_out(heap::Words words, Sink& sink) const {
    const std::size_t count = sink.candidate_count();
    sink.set_candidate_count(count + picker_.pick(words, sink.candidates() + count));
  }

  template <typename Sink>
  static void scan(heap::Words words, const heap::BlockMap& map, Sink& sink) {
    heap::for_each_slot_in(words, map, [&](heap::Object* object) { sink.reference(object); });
  }

  template <typename Sink>
  [[gnu::noinline]] void visit_large_words(MarkTask task, Sink& sink) const {
    heap::Object* const object = task.object();
    const std::uint64_t count = heap::Chunk::large_bytes_of(object) / heap::kWordBytes;
    const mark::Slices::Range part = part_of(task, (count + kWordsTogether - 1) / kWordsTogether, sink);
    const std::uint64_t begin = part.begin * kWordsTogether;
    heap::Words words(heap::words_at(object) + begin, std::min(part.end * kWordsTogether, count) - begin);
    if constexpr (mark::CandidateSink<Sink>) {
      for (; !words.empty(); words = words.subspan(std::min(words.size(), mark::kCandidatesAtOnce))) {
        sink.make_room();
        pick_out(words.first(std::min(words.size(), mark::kCandidatesAtOnce)), sink);
      }
    } else {
      scan(words, heap::Chunk::of(object)->map(), sink);
    }
  }

  template <typename Sink>
  [[gnu::noinline]] void visit_by_kind(heap::Object* object, Sink& sink) const {
    if (program_runs_) return;
    const heap::Chunk& chunk = *heap::Chunk::of(object);
    const heap::Kind& kind = chunk.kind_table()[chunk.kind_of(object)];
    if (chunk.intercepts_visits(object)) [[unlikely]] {
      visit_intercepted(object, kind, sink);
    } else {
      visit_layout(object, kind, sink);
    }
  }

  template <typename Sink>
  JACKDAW_ALWAYS_INLINE void visit_layout(heap::Object* object, const heap::Kind& kind, Sink& sink) const {
    const heap::BlockMap& map = heap::Chunk::of(object)->map();
    if (kind.layout == LayoutWord::traced().bits()) [[likely]] {
      SinkVisitor<Sink> visitor(map, sink, weak_references_);
      LayoutWord::trace(object, visitor);
    } else {
      visit_other_layout(object, kind, map, sink);
    }
  }

  template <typename Sink>
  [[gnu::noinline]] static void visit_other_layout(heap::Object* object, const heap::Kind& kind,
                                                   const heap::BlockMap& map, Sink& sink) {
    const std::size_t bytes = heap::Heap::bytes_of(object);
    const LayoutWord layout(kind.layout + (kind.layout_adds_bytes ? bytes : 0));
    layout.visit(object, bytes, map, sink);
  }

  // Visits an object that may be the key of ephemerons.
  template <typename Sink>
  [[gnu::noinline]] void visit_intercepted(heap::Object* object, const heap::Kind& kind, Sink& sink) const {
    weak_references_->ephemerons().for_each_value_of(object,
                                                     [&](heap::Object* value) { sink.reference(value); });
    if (kind.contents == heap::Contents::data) return;
    if (kind.contents == heap::Contents::by_kind) {
      visit_layout(object, kind, sink);
    } else {
      visit_as_usual(object, kind.contents, sink);
    }
  }

  // Visits an object of other contents that came this way as the key of ephemerons.
  template <typename Sink>
  void visit_as_usual(heap::Object* object, heap::Contents contents, Sink& sink) const {
    if (contents == heap::Contents::references) {
      visit(MarkTask(object), sink);
    } else {
      visit_without_type(task_of_words(object), sink);
    }
  }

  // Returns the elements to visit now: all of the object's, or those of the part that the task names. Other
  // parts of a big object are left for later.
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

  const heap::BlockMap* map_ = nullptr;
  heap::BlockMap::View view_;
  CandidatePicker picker_;
  WeakReferences* weak_references_ = nullptr;
  bool program_runs_ = false;
};

static_assert(CandidatePicker::kScratch <= mark::kCandidateScratch);
static_assert(mark::kTasksAtOnce * CandidatePicker::kWordsUnchecked <= mark::kCandidatesAtOnce);
static_assert(mark::BiasedObjectModel<HeapObjectModel> && mark::CandidateObjectModel<HeapObjectModel> &&
              mark::SlicingObjectModel<HeapObjectModel> && mark::PlacedObjectModel<HeapObjectModel>);

}  // namespace jackdaw::gc
