// SerialMark: a plain serial traversal, with which parallel marks are compared.
//
// It shares nothing with the marking engine: its stack, its marks and its reading of type descriptors are its
// own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bench/heap/object_set.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::bench {

class SerialMark {
 public:
  /// Traverses everything that can be reached from `roots`, whose null entries are skipped. O(objects +
  /// references).
  explicit SerialMark(std::span<heap::Object* const> roots);

  /// Returns the number of objects reached.
  [[nodiscard]] std::uint64_t objects() const { return objects_; }
  /// Returns the number of objects reached whose types hold no references.
  [[nodiscard]] std::uint64_t leaves() const { return leaves_; }
  /// Returns the number of non-null references in objects reached, repeats included.
  [[nodiscard]] std::uint64_t references() const { return references_; }
  [[nodiscard]] bool reached(const heap::Object* object) const { return reached_.contains(object); }

  /// Compares the heap's marks with the objects reached: returns nothing when they are the same set, else one
  /// line on the difference. O(heap).
  [[nodiscard]] std::optional<std::string> difference(heap::Heap& heap) const;

 private:
  ObjectSet reached_;
  std::uint64_t objects_ = 0;
  std::uint64_t leaves_ = 0;
  std::uint64_t references_ = 0;
};

}  // namespace jackdaw::bench
