// DumpStream: passes the bytes of a heap dump to its file, compressed by zstd where that is installed.
//
// The writing process may be a child that was forked in the middle of a collection, with locks in any state:
// after begin() neither malloc nor the C++ library is called. libzstd is, but has taken all its memory by
// then.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/own_file.h"
#include "gc/report/dump/dump_format.h"
#include "gc/report/dump/zstd_library.h"

namespace jackdaw::gc {

/// One dump's stream. One thread.
class DumpStream {
 public:
  DumpStream() = default;
  ~DumpStream();
  DumpStream(const DumpStream&) = delete;
  DumpStream& operator=(const DumpStream&) = delete;

  /// Writes the magic to the file. False, with the reason in errno, when there is no memory, or the file
  /// cannot be written. Calls malloc.
  bool begin(const base::OwnFile& file);

  void byte(std::uint8_t value) {
    if (count_ == buffer_.size()) flush();
    buffer_[count_++] = value;
  }
  void tag(DumpTag tag) { byte(static_cast<std::uint8_t>(tag)); }
  /// Writes a number, seven bits in each byte, the lowest first; the highest bit says that more follow.
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value) | 0x80);
    byte(static_cast<std::uint8_t>(value));
  }
  /// Writes a difference: 0, -1, 1, -2, 2 and so on become the numbers from 0 on.
  void difference(std::uint64_t from, std::uint64_t to) {
    const auto value = static_cast<std::int64_t>(to - from);
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void text(std::string_view text) {
    number(text.size());
    for (const char letter : text) byte(static_cast<std::uint8_t>(letter));
  }

  /// Ends the stream and returns whether all was written.
  bool end();

 private:
  void flush() { write_buffer(ZstdLibrary::kContinue); }
  bool write_buffer(int directive);

  const base::OwnFile* file_ = nullptr;
  bool failed_ = false;
  void* compressor_ = nullptr;  // null: not compressed
  std::size_t count_ = 0;
  std::array<std::uint8_t, std::size_t{1} << 16> buffer_;
  std::array<std::byte, std::size_t{1} << 16> compressed_;
};

}  // namespace jackdaw::gc
