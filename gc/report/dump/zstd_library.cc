#include "gc/report/dump/zstd_library.h"

#include <atomic>

#include "base/loaded_library.h"

namespace jackdaw::gc {

namespace {

std::atomic<const ZstdLibrary*> the_library{nullptr};

}  // namespace

// Threads that load it at the same time find the same functions.
bool ZstdLibrary::load() {
  if (loaded() != nullptr) return true;
  void* const library = base::load_library("libzstd.so.1");
  if (library == nullptr) return false;
  static ZstdLibrary functions{};
  static const bool kIsWhole = base::find_function(library, "ZSTD_createCCtx", functions.create) &&
                               base::find_function(library, "ZSTD_freeCCtx", functions.free) &&
                               base::find_function(library, "ZSTD_compressStream2", functions.compress) &&
                               base::find_function(library, "ZSTD_isError", functions.is_error);
  // Release: pairs with the acquire in loaded().
  if (kIsWhole) the_library.store(&functions, std::memory_order_release);
  return kIsWhole;
}

// Acquire: pairs with the release in load(), so that the functions are seen.
const ZstdLibrary* ZstdLibrary::loaded() { return the_library.load(std::memory_order_acquire); }

}  // namespace jackdaw::gc
