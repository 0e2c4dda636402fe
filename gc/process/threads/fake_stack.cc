#include "gc/process/threads/fake_stack.h"

// The header comes with the compiler; its functions are linked only with the sanitizer.
#include <sanitizer/asan_interface.h>

namespace jackdaw::gc {

FakeStack FakeStack::of_this_thread() {
  FakeStack stack;
  if constexpr (base::kAddressSanitizer) stack.handle_ = __asan_get_current_fake_stack();
  return stack;
}

FakeStack::Frame FakeStack::frame_of(std::uintptr_t address) const {
  void* begin = nullptr;
  void* end = nullptr;
  void* real = nullptr;
  if constexpr (base::kAddressSanitizer) {
    auto* const pointer = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
    if (handle_ != nullptr) real = __asan_addr_is_in_fake_stack(handle_, pointer, &begin, &end);
  }
  return {{reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(end)},
          reinterpret_cast<std::uintptr_t>(real)};
}

}  // namespace jackdaw::gc
