#include "gc/report/profile/call_stack.h"

#include <sys/auxv.h>
#include <unwind.h>

namespace jackdaw::gc {

// The linker puts these at the begin of the program or shared library that has this code, and at its code's
// end.
[[gnu::visibility("hidden")]] extern const char kImageBegin asm("__ehdr_start");
[[gnu::visibility("hidden")]] extern const char kImageCodeEnd asm("etext");

namespace {

// Whether an address is in the collector's own library; false where the program itself has the collector's
// code.
bool is_in_own_library(std::uintptr_t address) {
  const auto is_here = [](std::uintptr_t one) {
    return reinterpret_cast<std::uintptr_t>(&kImageBegin) <= one &&
           one < reinterpret_cast<std::uintptr_t>(&kImageCodeEnd);
  };
  return is_here(address) && !is_here(getauxval(AT_PHDR));
}

}  // namespace

// A return address is behind its call, and may be in the next line or function.
void CallStack::take() {
  size_ = 0;
  const auto add_frame = [](_Unwind_Context* context, void* stack) {
    auto& self = *static_cast<CallStack*>(stack);
    int is_before = 0;
    const std::uintptr_t address = _Unwind_GetIPInfo(context, &is_before);
    if (address == 0) return _URC_END_OF_STACK;
    if (self.size_ != 0 || !is_in_own_library(address)) self.add(is_before != 0 ? address : address - 1);
    return self.is_full() ? _URC_END_OF_STACK : _URC_NO_REASON;
  };
  _Unwind_Backtrace(add_frame, this);
}

}  // namespace jackdaw::gc
