// libFuzzer target: any bytes at all as one of Jackdaw's heap dumps.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/bench/graph/dump_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const jackdaw::bench::DumpOutcome outcome = jackdaw::bench::check_dump({data, size});
  if (!outcome.defect.empty()) {
    std::fprintf(stderr, "defect: %s (message: %s)\n", outcome.defect.c_str(), outcome.message.c_str());
    std::abort();
  }
  return 0;
}
