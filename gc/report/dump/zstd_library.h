// ZstdLibrary: libzstd, loaded only for dumps, so that other programs do not need it.
#pragma once

#include <cstddef>

namespace jackdaw::gc {

/// The functions of libzstd's stable interface (zstd.h) that dumps use.
struct ZstdLibrary {
  struct Input {
    const void* data;
    std::size_t size;
    std::size_t position;
  };
  struct Output {
    void* data;
    std::size_t size;
    std::size_t position;
  };
  static constexpr int kContinue = 0;
  static constexpr int kFlush = 1;
  static constexpr int kEnd = 2;

  /// Loads the library, unless it is loaded; false when it is not installed. Not with a lock that an
  /// allocating thread may want, as the loader runs libraries' code.
  static bool load();
  /// Returns the functions, or null unless load() succeeded. Any thread.
  static const ZstdLibrary* loaded();

  void* (*create)();
  std::size_t (*free)(void* compressor);
  std::size_t (*compress)(void* compressor, Output* output, Input* input, int directive);
  unsigned (*is_error)(std::size_t result);
};

}  // namespace jackdaw::gc
