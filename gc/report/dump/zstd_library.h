// ZstdLibrary: libzstd, loaded only where a dump is wanted: programs that never write one do not need it.
#pragma once

#include <cstddef>

namespace jackdaw::gc {

/// The functions of libzstd's stable interface that are used here (zstd.h).
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

  /// Loads it, unless it is there. With no lock that an allocating thread may want: the loader runs code of
  /// others. False when it is not installed.
  static bool load();
  /// Null unless load() did. Any thread.
  static const ZstdLibrary* loaded();

  void* (*create)();
  std::size_t (*free)(void* compressor);
  std::size_t (*compress)(void* compressor, Output* output, Input* input, int directive);
  unsigned (*is_error)(std::size_t result);
};

}  // namespace jackdaw::gc
