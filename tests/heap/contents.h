// Recognisable contents for objects, so that a test sees when something else was written over them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/object.h"

namespace jackdaw::heap {

/// The word that fill_contents writes at `index` for `key`. Never zero in practice, different for each pair.
inline std::uint64_t content_word(std::uint64_t key, std::size_t index) {
  std::uint64_t z = key * 0x9e3779b97f4a7c15 + index + 1;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  return z ^ (z >> 27);
}

/// Fills every whole word after the header of an object of `bytes` bytes.
inline void fill_contents(Object* object, std::size_t bytes, std::uint64_t key) {
  auto* const words = reinterpret_cast<std::uint64_t*>(object);
  for (std::size_t i = 1; i < bytes / kWordBytes; ++i) words[i] = content_word(key, i);
}

/// Whether an object still holds what fill_contents wrote.
inline bool has_contents(const Object* object, std::size_t bytes, std::uint64_t key) {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(object);
  for (std::size_t i = 1; i < bytes / kWordBytes; ++i) {
    if (words[i] != content_word(key, i)) return false;
  }
  return true;
}

/// Whether all whole words after the header are zero.
inline bool is_cleared(const Object* object, std::size_t bytes) {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(object);
  for (std::size_t i = 1; i < bytes / kWordBytes; ++i) {
    if (words[i] != 0) return false;
  }
  return true;
}

}  // namespace jackdaw::heap
