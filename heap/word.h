// Word: memory as the collector sees it, whatever the program wrote there.
#pragma once

#include <cstdint>
#include <span>

#include "heap/type_descriptor.h"

namespace jackdaw::heap {

/// An aligned word of memory that the program, or the heap itself, reads and writes under other types: an
/// access through it counts as one of any type.
struct [[gnu::may_alias]] Word {
  std::uintptr_t bits;

  /// The bits, read once: the program may write the word meanwhile, and a compiler that takes `bits` for
  /// constant may read it anew at each use.
  [[nodiscard, gnu::always_inline]] std::uintptr_t read_once() const {
    return static_cast<const volatile Word*>(this)->bits;
  }
};
static_assert(sizeof(Word) == kWordBytes);

/// Memory that may hold addresses of objects.
using Words = std::span<const Word>;

/// The first word at `address`, which is aligned.
inline Word* words_at(void* address) { return static_cast<Word*>(address); }
inline const Word* words_at(const void* address) { return static_cast<const Word*>(address); }

}  // namespace jackdaw::heap
