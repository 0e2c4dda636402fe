#include "gc/c/typed_array.h"

#include <optional>

#include "gc/marking/layout_word.h"
#include "gc/marking/visitor.h"
#include "heap/chunk.h"
#include "heap/heap.h"
#include "heap/layout.h"

namespace jackdaw::c_interface {

namespace {

constexpr std::size_t kBitmapWords = GC_WORDSZ - GC_DS_TAG_BITS;

GC_ms_entry* mark_elements(GC_word* array, GC_ms_entry* top, GC_ms_entry*, GC_word) {
  auto* const object = reinterpret_cast<heap::Object*>(array);
  const GC_word* const end = array + heap::Heap::bytes_of(object) / heap::kWordBytes - 1;
  const auto& shape = reinterpret_cast<const ArrayShape*>(end)[-1];
  const heap::BlockMap& map = heap::Chunk::of(object)->map();
  auto& visitor = *reinterpret_cast<gc::Visitor*>(top);
  auto* element = reinterpret_cast<std::byte*>(array);
  for (std::size_t left = shape.count; left > 0; --left, element += shape.element_bytes) {
    gc::LayoutWord(shape.element)
        .visit(reinterpret_cast<heap::Object*>(element), shape.element_bytes, map, visitor);
  }
  return top;
}

// Returns the layout of a whole array that is equivalent to its elements' layout, if there is one of one
// word.
std::optional<GC_descr> flattened(const ArrayShape& shape) {
  const std::size_t element_words = shape.element_bytes / heap::kWordBytes;
  const std::size_t words = shape.count * element_words;
  const GC_word tag = shape.element & GC_DS_TAGS;
  if (tag == GC_DS_LENGTH && (shape.element == 0 || shape.element >= shape.element_bytes))
    return shape.element == 0 ? 0 : shape.count * shape.element_bytes;
  if (tag != GC_DS_BITMAP || words > kBitmapWords) return std::nullopt;
  const GC_word bits = (shape.element & ~GC_word{GC_DS_TAGS}) & ~(~GC_word{0} >> element_words);
  GC_descr layout = GC_DS_BITMAP;
  for (std::size_t first = 0; first < words; first += element_words) layout |= bits >> first;
  return layout;
}

}  // namespace

std::size_t shape_bytes(const ArrayShape& shape) { return flattened(shape) ? 0 : sizeof(ArrayShape); }

GC_descr set_shape(const ArrayShape& shape, GC_word* end) {
  if (const std::optional<GC_descr> layout = flattened(shape)) return *layout;
  reinterpret_cast<ArrayShape*>(end)[-1] = shape;
  gc::MarkProcedures::define(gc::MarkProcedures::kArray, mark_elements);
  return GC_MAKE_PROC(GC_word{gc::MarkProcedures::kArray}, 0);
}

}  // namespace jackdaw::c_interface
