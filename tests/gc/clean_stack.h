// Stacks are searched conservatively: a word that a call left behind would keep an object that a test has
// dropped.
#pragma once

#include <array>
#include <cstdint>

namespace jackdaw {

/// Overwrites what earlier calls left on the stack below the caller. AddressSanitizer would put its own data,
/// and gaps, beside the words.
[[gnu::noinline, gnu::no_sanitize_address]] inline void clean_stack() {
  std::array<volatile std::uintptr_t, 4096> words;
  for (volatile std::uintptr_t& word : words) word = 0;
}

}  // namespace jackdaw
