// Stands in for heap/word_scan.h: nothing is looked for in words.
#pragma once

#include <cstdint>
#include <span>

namespace jackdaw::heap {

using Word = std::uintptr_t;
inline std::span<const Word> whole_words_between(std::uintptr_t, std::uintptr_t) { return {}; }
using Words = std::span<const Word>;

}  // namespace jackdaw::heap
