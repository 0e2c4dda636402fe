// A shared library that the tests load: it has a static variable and thread_local ones.
#include <array>

namespace {

void* static_variable = nullptr;
thread_local std::array<void*, JACKDAW_THREAD_LOCAL_WORDS> thread_local_variables{};

}  // namespace

extern "C" [[gnu::visibility("default")]] void** static_slot() { return &static_variable; }
extern "C" [[gnu::visibility("default")]] void** thread_local_slot() {
  return &thread_local_variables.back();
}
