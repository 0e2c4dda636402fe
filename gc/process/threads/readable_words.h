// Words of the program that can be read: what a collection searches of stacks, thread_local variables and
// static data. Pages among them may be gone, or protected.
#pragma once

#include "base/address_range.h"
#include "base/readable_memory.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// Calls `function(heap::Words)` with all readable words in `range`. System calls as base::for_each_readable.
template <typename Function>
void for_each_readable_words(base::AddressRange range, Function function) {
  base::for_each_readable(
      range, [&](base::AddressRange part) { function(heap::whole_words_between(part.begin, part.end)); });
}

}  // namespace jackdaw::gc
