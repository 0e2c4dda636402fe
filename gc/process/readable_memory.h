// Readable memory: which pages can be read, asked without reading them.
//
// Roots are words at addresses that the program told, or that a library's headers tell. Pages among them may
// be gone, or protected: a collection leaves those out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/word_scan.h"

namespace jackdaw::gc {

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

/// Whether the page that `address` lies in can be read now. One system call; may be called in a signal
/// handler.
bool is_readable(std::uintptr_t address);

/// The first stretch of readable pages in `range`, cut off at its ends; empty when there is none. One system
/// call where all can be read, and else one a page, up to the stretch's end.
AddressRange first_readable(AddressRange range);

/// The part of `range` from its begin to the first page that cannot be read. One system call a page.
AddressRange readable_prefix(AddressRange range);

/// `range` with the pages right below it, as far as a readable one ends there and something is mapped without
/// a gap: less than 4 GiB. One system call where there is none.
AddressRange with_mapped_below(AddressRange range);

/// Calls `function(heap::Words)` with all readable words in `range`. System calls as first_readable,
/// for each stretch.
template <typename Function>
void for_each_readable(AddressRange range, Function function) {
  while (!range.empty()) {
    const AddressRange part = first_readable(range);
    if (part.empty()) return;
    function(heap::whole_words_between(part.begin, part.end));
    range.begin = part.end;
  }
}

}  // namespace jackdaw::gc
