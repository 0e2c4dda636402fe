// set_bit: sets a bit and returns its old value in one instruction, without atomicity.
#pragma once

#include <cstdint>

namespace jackdaw::base {

/// Sets bit `number` mod 64 of `word` and returns whether it was set before.
[[gnu::always_inline]] inline bool set_bit(std::uint64_t& word, std::uint64_t number) {
#if defined(__x86_64__)
  // Compilers need four instructions for this.
  bool was_set;
  asm("btsq %2, %0" : "+r"(word), "=@ccc"(was_set) : "r"(number));
  return was_set;
#else
  const std::uint64_t before = word;
  word |= std::uint64_t{1} << number % 64;
  return word == before;
#endif
}

}  // namespace jackdaw::base
