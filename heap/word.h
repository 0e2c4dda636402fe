// Word: memory as the collector reads it, whatever types the program uses.
#pragma once

#include <cstdint>
#include <span>

#include "heap/type_descriptor.h"

namespace jackdaw::heap {

/// An aligned word that the program, or the heap itself, accesses under other types: accesses through it may
/// alias any type.
struct [[gnu::may_alias]] Word {
  std::uintptr_t bits;

  /// Returns the bits, read once: the program may write the word meanwhile, and a compiler that takes `bits`
  /// for constant may read it again at each use.
  [[nodiscard, gnu::always_inline]] std::uintptr_t read_once() const {
    return static_cast<const volatile Word*>(this)->bits;
  }
};
static_assert(sizeof(Word) == kWordBytes);

/// Returns the word that begins at any byte. Sanitizers would report reads across variables.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] inline std::uintptr_t unaligned_word_at(
    std::uintptr_t address) {
  struct [[gnu::packed, gnu::may_alias]] UnalignedWord {
    std::uintptr_t bits;
  };
  return reinterpret_cast<const volatile UnalignedWord*>(address)->bits;  // NOLINT(performance-no-int-to-ptr)
}

/// A range of memory that may hold addresses of objects.
using Words = std::span<const Word>;

/// Returns the first word at an aligned address.
inline Word* words_at(void* address) { return static_cast<Word*>(address); }
inline const Word* words_at(const void* address) { return static_cast<const Word*>(address); }

}  // namespace jackdaw::heap
