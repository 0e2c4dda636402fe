#include "gc/process/fake_stack.h"

// The sanitizer's interface (sanitizer/asan_interface.h), which is linked with it alone.
extern "C" void* __asan_get_current_fake_stack();
extern "C" void* __asan_addr_is_in_fake_stack(void* fake_stack, void* address, void** begin, void** end);

namespace jackdaw::gc {

FakeStack FakeStack::of_this_thread() {
  FakeStack stack;
  if constexpr (kAddressSanitizer) stack.handle_ = __asan_get_current_fake_stack();
  return stack;
}

FakeStack::Frame FakeStack::frame_of(std::uintptr_t address) const {
  void* begin = nullptr;
  void* end = nullptr;
  void* real = nullptr;
  if constexpr (kAddressSanitizer) {
    auto* const pointer = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
    if (handle_ != nullptr) real = __asan_addr_is_in_fake_stack(handle_, pointer, &begin, &end);
  }
  return {{reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(end)},
          reinterpret_cast<std::uintptr_t>(real)};
}

}  // namespace jackdaw::gc
