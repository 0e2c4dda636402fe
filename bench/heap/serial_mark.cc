#include "bench/heap/serial_mark.h"

#include <fmt/format.h>

#include <vector>

#include "bench/heap/references.h"
#include "heap/type_descriptor.h"

namespace jackdaw::bench {

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
