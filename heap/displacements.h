// Displacements: how far inside an object an address may lie that keeps it, where not all addresses do.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>

#include "heap/layout.h"

namespace jackdaw::heap {

/// Offsets from the start of an object, the start among them. They are added while nobody looks.
class Displacements {
 public:
  /// Offsets are below this.
  static constexpr std::size_t kLimit = kBlockBytes;

  Displacements() { add(0); }

  void add(std::size_t offset) { offsets_.set(offset); }
  [[nodiscard]] bool contains(std::uintptr_t offset) const {
    return offset < kLimit && offsets_.test(offset);
  }

 private:
  std::bitset<kLimit> offsets_;
};

}  // namespace jackdaw::heap
