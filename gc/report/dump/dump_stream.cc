#include "gc/report/dump/dump_stream.h"

#include <cerrno>
#include <span>

namespace jackdaw::gc {

DumpStream::~DumpStream() {
  if (compressor_ != nullptr) ZstdLibrary::loaded()->free(compressor_);
}

bool DumpStream::begin(const base::OwnFile& file) {
  file_ = &file;
  if (const ZstdLibrary* const zstd = ZstdLibrary::loaded()) {
    compressor_ = zstd->create();
    if (compressor_ == nullptr) {
      errno = ENOMEM;
      return false;
    }
  }
  for (const char letter : kDumpMagic) byte(static_cast<std::uint8_t>(letter));
  // The first call takes all the memory that the compressor needs.
  return write_buffer(ZstdLibrary::kFlush);
}

bool DumpStream::end() { return write_buffer(ZstdLibrary::kEnd) && file_->synchronise(); }

bool DumpStream::write_buffer(int directive) {
  if (compressor_ == nullptr) {
    failed_ = !file_->write(std::as_bytes(std::span(buffer_).first(count_))) || failed_;
  } else {
    ZstdLibrary::Input input{buffer_.data(), count_, 0};
    for (bool is_done = false; !is_done && !failed_;) {
      ZstdLibrary::Output output{compressed_.data(), compressed_.size(), 0};
      const std::size_t left = ZstdLibrary::loaded()->compress(compressor_, &output, &input, directive);
      failed_ = ZstdLibrary::loaded()->is_error(left) != 0 ||
                !file_->write(std::span(compressed_).first(output.position));
      is_done = directive == ZstdLibrary::kContinue ? input.position == input.size : left == 0;
    }
  }
  count_ = 0;
  return !failed_;
}

}  // namespace jackdaw::gc
