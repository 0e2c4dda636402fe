#include "gc/process/tell_on_stderr.h"

#include <sys/uio.h>
#include <unistd.h>

#include <array>

namespace jackdaw::gc {

namespace {

// The system's type is older than const.
iovec part_of_line(std::string_view text) { return {const_cast<char*>(text.data()), text.size()}; }

}  // namespace

void tell_on_stderr(std::string_view text) {
  const std::array<iovec, 3> line{part_of_line("jackdaw: "), part_of_line(text), part_of_line("\n")};
  if (writev(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

}  // namespace jackdaw::gc
