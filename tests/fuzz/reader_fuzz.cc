// libFuzzer target: any bytes at all as a file for the reader that JACKDAW_CHECK names. Start it with the
// reader's corpus in tests/data.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/tools/graph/reader_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const jackdaw::tools::ReadOutcome outcome = jackdaw::tools::JACKDAW_CHECK({data, size});
  if (!outcome.defect.empty()) {
    std::fprintf(stderr, "defect: %s (message: %s)\n", outcome.defect.c_str(), outcome.message.c_str());
    std::abort();
  }
  return 0;
}
