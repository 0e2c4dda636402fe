// Readable memory: finds out which pages can be read.
//
// Roots lie at addresses that the program or a library's headers name. Pages among them may have been
// unmapped or protected: a collection leaves those out.
#pragma once

#include <cstdint>

#include "base/address_range.h"

namespace jackdaw::base {

/// Whether the page that `address` lies in can be read now. One system call, or none while the thread has
/// GuardedLoads, which save a page's system call in all functions here. May be called in a signal handler,
/// unless that blocks SIGSEGV or SIGBUS in a thread that has them.
bool is_readable(std::uintptr_t address);

/// Returns the first run of readable pages in `range`, cut off at its ends; empty when there is none. A
/// long range that can all be read takes one system call, others take one for each page up to the run's end.
AddressRange first_readable(AddressRange range);

/// The part of `range` from its begin to the first page that cannot be read. One system call a page.
AddressRange readable_prefix(AddressRange range);

/// Extends `range` downwards, if the page right below it is readable, over all that is mapped there without a
/// gap, by less than 4 GiB. One system call where that page is not readable.
AddressRange with_mapped_below(AddressRange range);

/// Calls `function(AddressRange)` for each readable part of `range`, in order. Each part takes the system
/// calls of first_readable().
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
