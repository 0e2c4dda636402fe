// Mark procedures, mark bits and what marking has found: gc_mark.h.
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "gc/c/log.h"
#include "gc/c/start.h"
#include "gc/marking/layout_word.h"
#include "gc/marking/visitor.h"
#include "heap/chunk.h"
#include "heap/heap.h"
#include "heap/word_scan.h"

namespace jackdaw::c_interface {

namespace {

constexpr std::size_t kAnyBytes = std::numeric_limits<std::size_t>::max();

// The visitor, whose address programs take for the top of the mark stack.
gc::Visitor& visitor_at(GC_ms_entry* top) { return *reinterpret_cast<gc::Visitor*>(top); }

// Gives the visitor what a descriptor finds.
struct VisitorSink {
  gc::Visitor& visitor;
  void reference(heap::Object* object) { visitor.reference(object); }
};

// Makes roots of what a descriptor finds.
struct RootSink {
  gc::RootSet& roots;
  void reference(heap::Object* object) {
    const heap::Word word{reinterpret_cast<std::uintptr_t>(object)};
    roots.scan_stack({&word, 1});
  }
};

// Visits what mark procedures push. What a procedure pushes in such a visit waits for its end, so that one
// that goes on with the rest of a large object does not call itself.
class Pushes {
 public:
  static void visit(void* object, gc::LayoutWord layout, gc::Visitor& visitor) {
    if (current_ != nullptr && current_->add({object, layout})) return;
    Pushes pushes;
    Pushes* const before = std::exchange(current_, &pushes);
    VisitorSink sink{visitor};
    const heap::BlockMap& map = collector().heap().map();
    for (pushes.add({object, layout}); pushes.count_ != 0;) {
      const Pushed last = pushes.waiting_[--pushes.count_];
      last.layout.visit(static_cast<heap::Object*>(last.object), kAnyBytes, map, sink);
    }
    current_ = before;
  }

 private:
  struct Pushed {
    void* object = nullptr;
    gc::LayoutWord layout{0};
  };

  bool add(const Pushed& pushed) {
    if (count_ == waiting_.size()) return false;
    waiting_[count_++] = pushed;
    return true;
  }

  // It belongs to the visit under way in this thread. A visit whose room is used up nests another.
  static constinit thread_local Pushes* current_;

  std::array<Pushed, 64> waiting_;
  std::size_t count_ = 0;
};

constinit thread_local Pushes* Pushes::current_ = nullptr;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

unsigned GC_new_proc_inner(GC_mark_proc procedure) {
  const std::optional<std::size_t> number = gc::MarkProcedures::add(procedure);
  if (!number) abort_program("there are too many mark procedures");
  return static_cast<unsigned>(*number);
}

unsigned GC_new_proc(GC_mark_proc procedure) { return GC_new_proc_inner(procedure); }

GC_ms_entry* GC_mark_and_push(void* object, GC_ms_entry* top, GC_ms_entry*, void**) {
  visitor_at(top).word(reinterpret_cast<std::uintptr_t>(object));
  return top;
}

GC_ms_entry* GC_ms_push_obj_descr(void* object, GC_word descriptor, GC_ms_entry* top, GC_ms_entry*) {
  Pushes::visit(object, gc::LayoutWord(descriptor), visitor_at(top));
  return top;
}

GC_ms_entry* GC_ms_push_all(void* low, void* high, GC_ms_entry* top, GC_ms_entry*) {
  const heap::Words words = heap::whole_words_between(reinterpret_cast<std::uintptr_t>(low),
                                                      reinterpret_cast<std::uintptr_t>(high));
  heap::for_each_slot_in(words, collector().heap().map(),
                         [&](heap::Object* object) { visitor_at(top).reference(object); });
  return top;
}

void GC_push_obj_descr(void* object, GC_word descriptor) {
  RootSink sink{collector().roots()};
  gc::LayoutWord(descriptor)
      .visit(static_cast<heap::Object*>(object), kAnyBytes, collector().heap().map(), sink);
}

void GC_set_pointer_mask(GC_word mask) {
  if (mask != 0 && mask != GC_get_pointer_mask())
    abort_program("GC_set_pointer_mask: pointers are whole words here");
}
GC_word GC_get_pointer_mask() { return ~GC_word{0}; }
void GC_set_pointer_shift(unsigned shift) {
  if (shift != 0) abort_program("GC_set_pointer_shift: pointers are whole words here");
}
unsigned GC_get_pointer_shift() { return 0; }

int GC_is_marked(const void* object) { return heap::Chunk::of(object)->is_marked(object) ? 1 : 0; }

void GC_set_mark_bit(const void* object) { heap::Chunk::of(object)->mark_shared(object); }

void GC_clear_mark_bit(const void* object) { heap::Chunk::of(object)->unmark(object); }

void GC_enumerate_reachable_objects_inner(GC_reachable_object_proc function, void* data) {
  collector().heap().for_each_marked(
      [&](heap::Object* object) { function(object, heap::Heap::bytes_of(object), data); });
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
