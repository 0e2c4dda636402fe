// SerialMark: what is reachable, found by a plain serial traversal: the reference that parallel marks are
// held to.
//
// It shares nothing with the marking engine: its own stack, its own marks, its own reading of type
// descriptors.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "heap/chunk.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::bench {

class SerialMark {
 public:
  /// Traverses everything that can be reached from `roots`, whose null entries are skipped. O(objects +
  /// references).
  explicit SerialMark(std::span<heap::Object* const> roots);

  /// Objects reached.
  [[nodiscard]] std::uint64_t objects() const { return objects_; }
  /// Non-null references held by objects reached, repeats included.
  [[nodiscard]] std::uint64_t references() const { return references_; }
  [[nodiscard]] bool reached(const heap::Object* object) const;

  /// Compares the heap's marks with what was reached: nothing when they are the same set, else one line on
  /// the difference. O(heap).
  [[nodiscard]] std::optional<std::string> difference(heap::Heap& heap) const;

 private:
  // One bit for each granule of a chunk.
  using ChunkMarks = std::bitset<heap::kChunkBytes / heap::kGranuleBytes>;

  static std::size_t granule_of(const heap::Object* object);
  bool mark(const heap::Object* object);

  std::unordered_map<const heap::Chunk*, std::unique_ptr<ChunkMarks>> marks_;
  // The chunk looked up last: neighbours in the graph are often neighbours in memory.
  const heap::Chunk* last_chunk_ = nullptr;
  ChunkMarks* last_marks_ = nullptr;
  std::uint64_t objects_ = 0;
  std::uint64_t references_ = 0;
};

}  // namespace jackdaw::bench
