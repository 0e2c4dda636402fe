#include "tests/soak/tally.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace jackdaw::soak {

Tally tally;

void fail(const char* what, std::uint64_t first, std::uint64_t second) {
  std::fprintf(stderr, "jackdaw-soak: FAILED: %s (%" PRIu64 ", %" PRIu64 ")\n", what, first, second);
  std::_Exit(1);
}

}  // namespace jackdaw::soak
