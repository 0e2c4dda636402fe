// two_collectors LIBGC: uses the libjackdaw.so that it is linked with, and then the library that it is told,
// which has a collector of its own.
#include <dlfcn.h>

#include <cstdio>

#include "jackdaw/gc.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (GC_MALLOC(16) == nullptr) return 2;
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  using Init = void (*)();
  const auto init = reinterpret_cast<Init>(dlsym(library, "GC_init"));
  if (init == nullptr) return 2;
  init();
  return 0;
}
