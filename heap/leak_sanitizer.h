// LeakSanitizer: has it look for references to malloc's memory in objects, too.
//
// LeakSanitizer, which comes with AddressSanitizer, knows no memory but static data, stacks and what malloc
// gave. What only a live object of the heap refers to would be reported as lost.
#pragma once

#include <cstddef>
#include <span>

namespace jackdaw::heap {

/// From now on what lies in `memory` counts as reachable, where it can be read. Nothing happens in a process
/// without the sanitizer. Any thread.
void show_to_leak_sanitizer(std::span<const std::byte> memory);
/// Undoes it, for the very same memory.
void hide_from_leak_sanitizer(std::span<const std::byte> memory);

}  // namespace jackdaw::heap
