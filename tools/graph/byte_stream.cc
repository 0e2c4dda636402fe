#include "tools/graph/byte_stream.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <system_error>
#include <vector>

namespace jackdaw::tools {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

std::string cannot_be_read(int error) {
  return fmt::format("cannot be read: {}", std::error_code(error, std::generic_category()).message());
}

// zlib passes uncompressed bytes through as they are.
class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(int descriptor) : file_(gzdopen(descriptor, "rb")) {
    if (file_ == nullptr) {
      close(descriptor);
      throw std::bad_alloc();
    }
    gzbuffer(file_.get(), kBufferBytes);
  }

  std::size_t read(std::span<std::uint8_t> out) override {
    const int added = gzread(file_.get(), out.data(), static_cast<unsigned>(out.size()));
    if (added > 0) return static_cast<std::size_t>(added);
    // A stream that is cut short counts as an end for gzread(); only the error number tells it from a good
    // one.
    int zlib_error = Z_OK;
    const char* const message = gzerror(file_.get(), &zlib_error);
    if (added < 0 || zlib_error != Z_OK) fail(zlib_error, message);
    return 0;
  }
  bool rewind() override { return gzrewind(file_.get()) == 0; }
  [[nodiscard]] std::uint64_t file_bytes_taken() const override {
    const z_off_t taken = gzoffset(file_.get());
    return taken < 0 ? 0 : static_cast<std::uint64_t>(taken);
  }
  [[nodiscard]] bool is_compressed() const override { return gzdirect(file_.get()) == 0; }

 private:
  struct CloseFile {
    void operator()(gzFile file) const { gzclose(file); }
  };

  [[noreturn]] static void fail(int zlib_error, const char* message) {
    if (zlib_error == Z_BUF_ERROR)
      throw StreamError("the gzip stream is cut short here; must be a whole file");
    if (zlib_error == Z_ERRNO) throw StreamError(cannot_be_read(errno));
    // zlib puts its own name for the file in front: "<fd:3>: incorrect data check".
    const char* const colon = std::strstr(message, ": ");
    throw StreamError(fmt::format("the gzip stream is damaged: {}; must be a whole file",
                                  colon == nullptr ? message : colon + 2));
  }

  std::unique_ptr<gzFile_s, CloseFile> file_;
};

constexpr std::array<std::uint8_t, 4> kZstdMagic = {0x28, 0xb5, 0x2f, 0xfd};
// Larger windows than zstd's own tool takes without being asked: as much memory.
constexpr int kLargestWindowLog = 27;

class ZstdStream final : public ByteStream {
 public:
  explicit ZstdStream(int descriptor)
      : descriptor_(descriptor), decompressor_(ZSTD_createDCtx()), buffer_(kBufferBytes) {
    if (decompressor_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(decompressor_.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
  }
  ~ZstdStream() override { close(descriptor_); }

  std::size_t read(std::span<std::uint8_t> out) override {
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    while (output.pos == 0) {
      if (input_.pos == input_.size && !fill()) {
        if (!is_at_frame_end_) throw StreamError("the zstd stream is cut short here; must be a whole file");
        return 0;
      }
      const std::size_t left = ZSTD_decompressStream(decompressor_.get(), &output, &input_);
      if (ZSTD_isError(left) != 0) {
        throw StreamError(
            fmt::format("the zstd stream is damaged: {}; must be a whole file", ZSTD_getErrorName(left)));
      }
      is_at_frame_end_ = left == 0;
    }
    return output.pos;
  }
  bool rewind() override {
    if (lseek(descriptor_, 0, SEEK_SET) != 0) return false;
    ZSTD_DCtx_reset(decompressor_.get(), ZSTD_reset_session_only);
    input_ = {buffer_.data(), 0, 0};
    taken_ = 0;
    is_at_frame_end_ = true;
    return true;
  }
  [[nodiscard]] std::uint64_t file_bytes_taken() const override { return taken_; }
  [[nodiscard]] bool is_compressed() const override { return true; }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* decompressor) const { ZSTD_freeDCtx(decompressor); }
  };

  bool fill() {
    ssize_t count = 0;
    do {
      count = ::read(descriptor_, buffer_.data(), buffer_.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) throw StreamError(cannot_be_read(errno));
    input_ = {buffer_.data(), static_cast<std::size_t>(count), 0};
    taken_ += static_cast<std::uint64_t>(count);
    return count != 0;
  }

  const int descriptor_;
  std::unique_ptr<ZSTD_DCtx, Free> decompressor_;
  std::vector<std::uint8_t> buffer_;
  ZSTD_inBuffer input_{buffer_.data(), 0, 0};
  std::uint64_t taken_ = 0;
  bool is_at_frame_end_ = true;
};

}  // namespace

std::unique_ptr<ByteStream> ByteStream::open(int descriptor) {
  std::array<std::uint8_t, kZstdMagic.size()> first{};
  const ssize_t count = pread(descriptor, first.data(), first.size(), 0);
  if (count == static_cast<ssize_t>(first.size()) && first == kZstdMagic)
    return std::make_unique<ZstdStream>(descriptor);
  return std::make_unique<GzipStream>(descriptor);
}

}  // namespace jackdaw::tools
