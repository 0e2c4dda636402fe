#include "heap/leak_sanitizer.h"

// The header comes with the compiler. Its functions are weak here, since a program may be built with the
// sanitizer when this is not.
#include <sanitizer/lsan_interface.h>

#pragma weak __lsan_register_root_region
#pragma weak __lsan_unregister_root_region

namespace jackdaw::heap {

void show_to_leak_sanitizer(std::span<const std::byte> memory) {
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(memory.data(), memory.size());
}

void hide_from_leak_sanitizer(std::span<const std::byte> memory) {
  if (__lsan_unregister_root_region != nullptr) __lsan_unregister_root_region(memory.data(), memory.size());
}

}  // namespace jackdaw::heap
