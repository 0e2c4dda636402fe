// LeakSanitizer: makes it search objects for references to malloc's memory, too.
//
// LeakSanitizer, which comes with AddressSanitizer, searches static data, stacks and malloc's memory only. It
// would report as leaked what only a live object of the heap refers to.
#pragma once

#include <cstddef>
#include <span>

namespace jackdaw::heap {

/// From now on the sanitizer takes what lies in `memory` for reachable, where it can be read. Nothing happens
/// in a process without it. Any thread.
void show_to_leak_sanitizer(std::span<const std::byte> memory);
/// Undoes show_to_leak_sanitizer() for the same memory.
void hide_from_leak_sanitizer(std::span<const std::byte> memory);

}  // namespace jackdaw::heap
