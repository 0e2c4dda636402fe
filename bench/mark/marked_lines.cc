#include "bench/mark/marked_lines.h"

#include <algorithm>

#include "bench/mark/line_reads.h"
#include "heap/object.h"
#include "heap/type_descriptor.h"

namespace jackdaw::bench {

namespace {

// Returns the words from the header to the end of the last reference.
std::uint64_t words_to_read(const heap::Object& object) {
  const heap::TypeDescriptor& type = *object.type();
  switch (type.layout()) {
    case heap::TypeDescriptor::Layout::none:
      break;
    case heap::TypeDescriptor::Layout::words:
      return std::uint64_t{type.words().first} + type.words().count;
    case heap::TypeDescriptor::Layout::offsets:
      return *std::ranges::max_element(type.reference_words()) + std::uint64_t{1};
    case heap::TypeDescriptor::Layout::reference_array:
      return heap::Object::kArrayHeaderWords + object.array_length();
  }
  return 1;
}

}  // namespace

MarkedLines count_marked_lines(heap::Heap& heap) {
  MarkedLines lines;
  std::uintptr_t counted = 0;  // the last line counted in `distinct`
  heap.for_each_marked([&](const heap::Object* object) {
    const auto start = reinterpret_cast<std::uintptr_t>(object);
    const std::uintptr_t first = start / kLineBytes;
    const std::uintptr_t last = (start + words_to_read(*object) * heap::kWordBytes - 1) / kLineBytes;
    ++lines.objects;
    lines.visited += last - first + 1;
    // Objects come in address order within a chunk, so only the first line may also be the last object's.
    lines.distinct += last - first + (first == counted ? 0 : 1);
    counted = last;
  });
  return lines;
}

}  // namespace jackdaw::bench
