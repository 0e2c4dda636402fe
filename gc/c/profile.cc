// Profiles of allocation: gc.h, section 16.
#include <new>

#include "base/warn.h"
#include "gc/c/start.h"

namespace jackdaw::c_interface {

#pragma GCC visibility push(default)
extern "C" {

void GC_start_profile(std::size_t every) {
  registered_collector().profiling().start(every != 0 ? every : gc::Profiling::kEvery);
}

void GC_stop_profile() { registered_collector().profiling().stop(); }

int GC_write_profile(const char* path) {
  try {
    return registered_collector().profiling().write(path) ? 1 : 0;
  } catch (const std::bad_alloc&) {
    base::warn("there is no memory for the profile");
    return 0;
  }
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
