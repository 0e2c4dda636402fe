// Readable words: the words of stacks, thread_local variables and static data that a collection can read.
// Some of their pages may be unmapped or protected.
#pragma once

#include "base/address_range.h"
#include "base/readable_memory.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// Calls `function(heap::Words)` with all readable words in `range`. It takes the system calls of
/// base::for_each_readable().
template <typename Function>
void for_each_readable_words(base::AddressRange range, Function function) {
  base::for_each_readable(
      range, [&](base::AddressRange part) { function(heap::whole_words_between(part.begin, part.end)); });
}

}  // namespace jackdaw::gc
