// libFuzzer target: any bytes at all as a heap dump. Start it with the corpus in tests/data/hprof_corpus.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/bench/graph/hprof_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const jackdaw::bench::HprofOutcome outcome = jackdaw::bench::check_hprof({data, size});
  if (!outcome.defect.empty()) {
    std::fprintf(stderr, "defect: %s (message: %s)\n", outcome.defect.c_str(), outcome.message.c_str());
    std::abort();
  }
  return 0;
}
