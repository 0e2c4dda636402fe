#include "bench/heap/span.h"

#include <deque>
#include <utility>

#include "bench/heap/object_set.h"
#include "heap/type_descriptor.h"
#include "mark/slices.h"
#include "tools/command/progress.h"

namespace jackdaw::bench {

namespace {

using Layout = heap::TypeDescriptor::Layout;
using mark::Slices;

// A part of an array, by a node of its slice tree.
struct Part {
  heap::Object* array;
  std::uint32_t node;
};

// The tasks of one depth, in queues of pieces, so that a level's memory is freed while it is processed.
struct Level {
  std::deque<heap::Object*> objects;
  std::deque<Part> parts;

  [[nodiscard]] bool empty() const { return objects.empty() && parts.empty(); }
};

template <typename Element>
Element take_first(std::deque<Element>& queue) {
  const Element first = queue.front();
  queue.pop_front();
  return first;
}

class Traversal {
 public:
  explicit Traversal(std::span<heap::Object* const> roots) {
    for (heap::Object* const root : roots) discover(root);
  }

  WorkAndSpan run() {
    tools::Progress progress("finding the span");
    while (!next_.empty()) {
      std::swap(current_, next_);
      ++found_.span;
      while (!current_.objects.empty()) {
        visit_object(take_first(current_.objects));
        progress.update(found_.work, 0);
      }
      while (!current_.parts.empty()) visit_part(take_first(current_.parts));
    }
    return found_;
  }

 private:
  void discover(heap::Object* object) {
    if (object == nullptr || !reached_.insert(object)) return;
    ++found_.objects;
    if (object->type()->holds_references()) next_.objects.push_back(object);
  }

  void discover_words(heap::Object* object, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t word = begin; word < end; ++word) discover(*object->slot(word));
  }

  void visit_object(heap::Object* object) {
    const heap::TypeDescriptor& type = *object->type();
    if (type.layout() == Layout::reference_array && Slices::is_cut(object->array_length())) {
      visit_part({object, Slices::kWhole});
      return;
    }
    ++found_.work;
    switch (type.layout()) {
      case Layout::none:
        break;
      case Layout::words:
        discover_words(object, type.words().first, type.words().first + type.words().count);
        break;
      case Layout::offsets:
        for (const std::uint32_t word : type.reference_words()) discover(*object->slot(word));
        break;
      case Layout::reference_array:
        discover_elements(object, {0, object->array_length()});
        break;
    }
  }

  void visit_part(Part part) {
    ++found_.work;
    const Slices slices(part.array->array_length());
    std::uint32_t node = part.node;
    for (; !slices.is_slice(node); node = Slices::kept_half(node)) {
      const std::uint32_t waiting = Slices::waiting_half(node);
      const Slices::Range rest = slices.range_of(waiting);
      if (rest.begin < rest.end) next_.parts.push_back({part.array, waiting});
    }
    discover_elements(part.array, slices.range_of(node));
  }

  void discover_elements(heap::Object* array, Slices::Range range) {
    discover_words(array, heap::Object::kArrayHeaderWords + range.begin,
                   heap::Object::kArrayHeaderWords + range.end);
  }

  ObjectSet reached_;
  Level current_;
  Level next_;
  WorkAndSpan found_;
};

}  // namespace

WorkAndSpan work_and_span(std::span<heap::Object* const> roots) { return Traversal(roots).run(); }

}  // namespace jackdaw::bench
