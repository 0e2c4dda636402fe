// LoadedLibrary: a shared library of the tests, open while the object exists. There are two of
// loaded_library.cc: JACKDAW_LOADED_LIBRARY, which has too many thread_local variables for each thread's
// static area, and JACKDAW_STATIC_AREA_LIBRARY, whose must lie there (the model initial-exec).
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace jackdaw::gc {

class LoadedLibrary {
 public:
  explicit LoadedLibrary(const char* path = JACKDAW_LOADED_LIBRARY)
      : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  ~LoadedLibrary() { EXPECT_EQ(dlclose(handle_), 0); }
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;

  /// Returns the address of one of its functions.
  [[nodiscard]] void* function(const char* name) const { return dlsym(handle_, name); }
  // Its variables; of the second the calling thread's.
  [[nodiscard]] void*& static_slot() const { return slot("static_slot"); }
  [[nodiscard]] void*& thread_local_slot() const { return slot("thread_local_slot"); }

 private:
  void*& slot(const char* name) const { return *reinterpret_cast<void** (*)()>(function(name))(); }

  void* handle_;
};

}  // namespace jackdaw::gc
