#include "gc/report/dump/zstd_library.h"

#include <dlfcn.h>

#include <atomic>

namespace jackdaw::gc {

namespace {

std::atomic<const ZstdLibrary*> the_library{nullptr};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

// Threads that load it at the same time find the same functions.
bool ZstdLibrary::load() {
  if (loaded() != nullptr) return true;
  void* const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  static ZstdLibrary functions{};
  static const bool kIsWhole = find(library, "ZSTD_createCCtx", functions.create) &&
                               find(library, "ZSTD_freeCCtx", functions.free) &&
                               find(library, "ZSTD_compressStream2", functions.compress) &&
                               find(library, "ZSTD_isError", functions.is_error);
  // Release: pairs with the acquire in loaded().
  if (kIsWhole) the_library.store(&functions, std::memory_order_release);
  return kIsWhole;
}

// Acquire: pairs with the release in load(), so that the functions are seen.
const ZstdLibrary* ZstdLibrary::loaded() { return the_library.load(std::memory_order_acquire); }

}  // namespace jackdaw::gc
