// A file that lives in memory, so that tests and the fuzzer can read bytes the way a user's file is read.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "tools/graph/byte_source.h"

namespace jackdaw::tools {

/// A source of `bytes`, called `name` in messages.
[[nodiscard]] inline ByteSource source_of(std::span<const std::uint8_t> bytes,
                                          const std::string& name = "dump") {
  const int descriptor = memfd_create("dump", MFD_CLOEXEC);
  if (descriptor < 0) throw std::runtime_error("memfd_create");
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t count = write(descriptor, bytes.data() + written, bytes.size() - written);
    if (count <= 0) throw std::runtime_error("write to a memory file");
    written += static_cast<std::size_t>(count);
  }
  if (lseek(descriptor, 0, SEEK_SET) != 0) throw std::runtime_error("lseek in a memory file");
  return ByteSource(descriptor, name);
}

}  // namespace jackdaw::tools
