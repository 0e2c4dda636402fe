#include "gc/dump/dump_stream.h"

#include <unistd.h>

#include <cerrno>

namespace jackdaw::gc {

DumpStream::~DumpStream() {
  if (compressor_ != nullptr) ZstdLibrary::loaded()->free(compressor_);
  if (descriptor_ >= 0) close(descriptor_);
}

bool DumpStream::begin(int descriptor) {
  descriptor_ = descriptor;
  if (const ZstdLibrary* const zstd = ZstdLibrary::loaded()) {
    compressor_ = zstd->create();
    if (compressor_ == nullptr) return false;
  }
  for (const char letter : kDumpMagic) byte(static_cast<std::uint8_t>(letter));
  // The first call takes all the memory that the compressor needs.
  return write_buffer(ZstdLibrary::kFlush);
}

bool DumpStream::end() { return write_buffer(ZstdLibrary::kEnd) && fsync(descriptor_) == 0; }

bool DumpStream::write_buffer(int directive) {
  if (compressor_ == nullptr) {
    failed_ = !write_out(std::as_bytes(std::span(buffer_).first(count_))) || failed_;
  } else {
    ZstdLibrary::Input input{buffer_.data(), count_, 0};
    for (bool is_done = false; !is_done && !failed_;) {
      ZstdLibrary::Output output{compressed_.data(), compressed_.size(), 0};
      const std::size_t left = ZstdLibrary::loaded()->compress(compressor_, &output, &input, directive);
      failed_ = ZstdLibrary::loaded()->is_error(left) != 0 ||
                !write_out(std::span(compressed_).first(output.position));
      is_done = directive == ZstdLibrary::kContinue ? input.position == input.size : left == 0;
    }
  }
  count_ = 0;
  return !failed_;
}

bool DumpStream::write_out(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace jackdaw::gc
