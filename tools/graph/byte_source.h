// ByteSource: a file, compressed or not (ByteStream), as a stream of numbers, with errors that name the byte.
//
// Invariants: offset() counts uncompressed bytes from the start of the stream; no read, however wrong the
// numbers it is given, goes past the bound set by set_bound() or past the end of the file: it throws
// InputError instead; memory is one buffer of kBufferBytes and the stream's, whatever the file says. One
// thread may use a source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tools/graph/byte_stream.h"

namespace jackdaw::tools {

/// Reads a file from start to end, and again after rewind().
class ByteSource {
 public:
  static constexpr std::size_t kBufferBytes = 64 * 1024;
  static constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();

  /// Opens the regular file at `path`. Throws InputError when it cannot be opened, is a directory or is
  /// something else that cannot be read twice.
  explicit ByteSource(const std::string& path);

  /// Reads from `descriptor`, which must be open, seekable and at the start of what is to be read, and which
  /// the source closes. `name` is for messages.
  ByteSource(int descriptor, std::string name);

  /// Returns the file's name for messages.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The number of bytes read so far.
  [[nodiscard]] std::uint64_t offset() const {
    return buffer_offset_ + static_cast<std::uint64_t>(cursor_ - buffer_.data());
  }

  /// Returns how many bytes of the file, compressed or not, were read so far; costs a system call.
  [[nodiscard]] std::uint64_t file_bytes_taken() const { return stream_->file_bytes_taken(); }
  /// Returns the file's size.
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }

  /// Whether nothing follows. Throws InputError when the compressed stream is corrupt or cut short here.
  [[nodiscard]] bool at_end() { return cursor_ == filled_end_ && fill() == 0; }

  /// From now on, reading at or past offset `bound` is an error: `what` (such as "record") ends there.
  void set_bound(std::uint64_t bound, const char* what);
  /// Removes the bound.
  void clear_bound() { set_bound(kNoBound, ""); }
  /// The bytes left up to the bound.
  [[nodiscard]] std::uint64_t bytes_to_bound() const { return bound_ - offset(); }

  /// Returns the next byte without reading it; at_end() must have returned false.
  [[nodiscard]] std::uint8_t peek_u1() const { return *cursor_; }

  /// The next number of 1, 2, 4 or 8 bytes, most significant byte first.
  std::uint8_t read_u1() { return static_cast<std::uint8_t>(read_number<1>()); }
  std::uint16_t read_u2() { return static_cast<std::uint16_t>(read_number<2>()); }
  std::uint32_t read_u4() { return static_cast<std::uint32_t>(read_number<4>()); }
  std::uint64_t read_u8() { return read_number<8>(); }

  /// Reads a number of at most 64 bits, seven of them in each byte, the lowest first; the highest bit says
  /// that more follow. `what` names it in the error for a longer one.
  std::uint64_t read_varint(const char* what) {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < kNumberBits; shift += 7) {
      const std::uint64_t byte = read_u1();
      const std::uint64_t bits = (byte & 0x7f) << shift;
      if (bits >> shift != (byte & 0x7f)) break;
      number |= bits;
      if (byte < 0x80) return number;
    }
    fail(offset(), std::string(what) + " has more than 64 bits");
  }

  /// Reads `count` bytes. Their memory is taken as they arrive.
  std::string read_text(std::uint64_t count);

  /// Reads the next line into `line`, without its end. A longer line than `most` bytes is read in pieces.
  /// False at the end of the file.
  bool read_line(std::string& line, std::size_t most);

  /// Skips `count` bytes, which must be there.
  void skip(std::uint64_t count);

  /// Returns to the first byte, without a bound.
  void rewind();

  /// Throws InputError: "FILE: byte OFFSET: MESSAGE".
  [[noreturn]] void fail(std::uint64_t offset, const std::string& message) const;

 private:
  static constexpr unsigned kNumberBits = 64;

  template <unsigned kBytes>
  std::uint64_t read_number() {
    if (static_cast<std::size_t>(readable_end_ - cursor_) < kBytes) [[unlikely]]
      require(kBytes);
    std::uint64_t number = 0;
    for (unsigned i = 0; i < kBytes; ++i) number = number << 8 | cursor_[i];
    cursor_ += kBytes;
    return number;
  }

  void require(std::size_t count);
  std::size_t fill();
  void update_readable_end();
  [[noreturn]] void fail_at_bound() const;
  [[noreturn]] void fail_at_end() const;

  std::unique_ptr<ByteStream> stream_;
  std::string name_;
  std::uint64_t file_bytes_ = 0;

  std::vector<std::uint8_t> buffer_;
  std::uint64_t buffer_offset_ = 0;             ///< offset of the buffer's first byte
  const std::uint8_t* cursor_ = nullptr;        ///< the next byte to read
  const std::uint8_t* filled_end_ = nullptr;    ///< end of the bytes in the buffer
  const std::uint8_t* readable_end_ = nullptr;  ///< filled_end_, or the bound where that comes first

  std::uint64_t bound_ = kNoBound;
  const char* bounded_ = "";
};

}  // namespace jackdaw::tools
