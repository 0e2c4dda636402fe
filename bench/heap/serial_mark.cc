#include "bench/heap/serial_mark.h"

#include <fmt/format.h>

#include <vector>

#include "heap/type_descriptor.h"

namespace jackdaw::bench {

namespace {

// Calls function(reference) for every non-null reference of an object.
template <typename Function>
void for_each_reference(heap::Object* object, Function function) {
  const heap::TypeDescriptor& type = *object->type();
  const auto report = [&](std::size_t word) {
    heap::Object* const reference = *object->slot(word);
    if (reference != nullptr) function(reference);
  };
  switch (type.layout()) {
    case heap::TypeDescriptor::Layout::none:
      break;
    case heap::TypeDescriptor::Layout::words:
      for (std::size_t i = 0; i < type.words().count; ++i) report(type.words().first + i);
      break;
    case heap::TypeDescriptor::Layout::offsets:
      for (const std::uint32_t word : type.reference_words()) report(word);
      break;
    case heap::TypeDescriptor::Layout::reference_array:
      for (std::uint64_t i = 0; i < object->array_length(); ++i) report(heap::Object::kArrayHeaderWords + i);
      break;
  }
}

}  // namespace

SerialMark::SerialMark(std::span<heap::Object* const> roots) {
  std::vector<heap::Object*> stack;
  const auto visit = [&](heap::Object* object) {
    if (!reached_.insert(object)) return;
    ++objects_;
    if (!object->type()->holds_references()) ++leaves_;
    stack.push_back(object);
  };
  for (heap::Object* const root : roots) {
    if (root != nullptr) visit(root);
  }
  while (!stack.empty()) {
    heap::Object* const object = stack.back();
    stack.pop_back();
    for_each_reference(object, [&](heap::Object* reference) {
      ++references_;
      visit(reference);
    });
  }
}

std::optional<std::string> SerialMark::difference(heap::Heap& heap) const {
  std::uint64_t marked = 0;
  std::uint64_t unreachable = 0;
  heap.for_each_marked([&](const heap::Object* object) {
    ++marked;
    if (!reached(object)) ++unreachable;
  });
  const std::uint64_t missing = objects_ - (marked - unreachable);
  if (unreachable == 0 && missing == 0) return std::nullopt;
  return fmt::format(
      "{} objects are reachable, {} are marked; {} reachable ones are unmarked and {} marked ones are "
      "unreachable",
      objects_, marked, missing, unreachable);
}

}  // namespace jackdaw::bench
