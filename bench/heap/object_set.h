// ObjectSet: the objects of a heap that a traversal has reached, in marks of its own.
//
// It has a bit for each granule of every chunk that holds a member: about a 128th of the heap. It is
// independent of the heap's own marks, so that it can be compared with them. One thread may use an object.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "heap/chunk.h"
#include "heap/object.h"

namespace jackdaw::bench {

class ObjectSet {
 public:
  /// Adds `object`. False if it was there already. O(1). Throws std::bad_alloc.
  bool insert(const heap::Object* object) {
    const heap::Chunk* const chunk = heap::Chunk::of(object);
    if (chunk != last_chunk_) {
      std::unique_ptr<Members>& members = members_[chunk];
      if (members == nullptr) members = std::make_unique<Members>();
      last_chunk_ = chunk;
      last_members_ = members.get();
    }
    const std::size_t granule = granule_of(object);
    if (last_members_->test(granule)) return false;
    last_members_->set(granule);
    return true;
  }

  /// Whether `object` was added. O(1).
  [[nodiscard]] bool contains(const heap::Object* object) const {
    const auto found = members_.find(heap::Chunk::of(object));
    return found != members_.end() && found->second->test(granule_of(object));
  }

 private:
  using Members = std::bitset<heap::kChunkBytes / heap::kGranuleBytes>;

  static std::size_t granule_of(const heap::Object* object) {
    return reinterpret_cast<std::uintptr_t>(object) % heap::kChunkBytes / heap::kGranuleBytes;
  }

  std::unordered_map<const heap::Chunk*, std::unique_ptr<Members>> members_;
  // The last chunk that was looked up, as neighbours in the graph are often neighbours in memory.
  const heap::Chunk* last_chunk_ = nullptr;
  Members* last_members_ = nullptr;
};

}  // namespace jackdaw::bench
