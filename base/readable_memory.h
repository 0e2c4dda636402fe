// Readable memory: which pages can be read, asked without reading them.
//
// Roots are words at addresses that the program told, or that a library's headers tell. Pages among them may
// be gone, or protected: a collection leaves those out.
#pragma once

#include <cstdint>

#include "base/address_range.h"

namespace jackdaw::base {

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

/// Calls `function(AddressRange)` for each readable part of `range`, in order. System calls as
/// first_readable, for each part.
template <typename Function>
void for_each_readable(AddressRange range, Function function) {
  while (!range.empty()) {
    const AddressRange part = first_readable(range);
    if (part.empty()) return;
    function(part);
    range.begin = part.end;
  }
}

}  // namespace jackdaw::base
