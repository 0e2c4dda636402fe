// ByteStream: a file's bytes, decompressed if it is compressed by gzip or zstd, which its first bytes say.
//
// Invariant: memory is bounded whatever the file says. One thread may use a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>

namespace jackdaw::tools {

/// The stream is corrupt at the place up to which it was read.
class StreamError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ByteStream {
 public:
  /// Takes over a file that is open, seekable and at the start of its contents; the stream closes it. Throws
  /// std::bad_alloc.
  static std::unique_ptr<ByteStream> open(int descriptor);

  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Reads at least one byte and at most as many as fit, and returns how many; 0 at the end. Throws
  /// StreamError.
  virtual std::size_t read(std::span<std::uint8_t> out) = 0;
  /// Returns to the first byte. False when the file cannot be read twice.
  virtual bool rewind() = 0;
  /// Returns how many bytes of the file, compressed or not, were read so far; may cost a system call.
  [[nodiscard]] virtual std::uint64_t file_bytes_taken() const = 0;
  [[nodiscard]] virtual bool is_compressed() const = 0;

 protected:
  ByteStream() = default;
};

}  // namespace jackdaw::tools
