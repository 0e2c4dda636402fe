// Stands in for base/set_bit.h, without assembly, which the model checker does not read.
#pragma once

#include <cstdint>

namespace jackdaw::base {

inline bool set_bit(std::uint64_t& word, std::uint64_t number) {
  const std::uint64_t before = word;
  word |= std::uint64_t{1} << number % 64;
  return word == before;
}

}  // namespace jackdaw::base
