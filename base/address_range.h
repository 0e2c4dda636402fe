// AddressRange: part of the address space.
#pragma once

#include <cstdint>

namespace jackdaw::base {

/// A range of addresses, [begin, end).
struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] bool contains(std::uintptr_t address) const { return begin <= address && address < end; }
  [[nodiscard]] bool contains(const AddressRange& other) const {
    return begin <= other.begin && other.end <= end;
  }
  [[nodiscard]] bool empty() const { return begin >= end; }
};

}  // namespace jackdaw::base
