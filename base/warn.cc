#include "base/warn.h"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstddef>

#include "base/quiet_write.h"

namespace jackdaw::base {

namespace {

// The system's type has no const.
iovec part_of_line(std::string_view text) { return {const_cast<char*>(text.data()), text.size()}; }

}  // namespace

void warn(std::string_view text) {
  const std::array<iovec, 3> line{part_of_line("jackdaw: "), part_of_line(text), part_of_line("\n")};
  std::size_t bytes = 0;
  for (const iovec& part : line) bytes += part.iov_len;
  write_quietly(bytes, [&] { return writev(STDERR_FILENO, line.data(), line.size()); });
}

}  // namespace jackdaw::base
