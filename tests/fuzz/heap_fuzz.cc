// libFuzzer target: any bytes at all as a program for the collector.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/heap_program.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  jackdaw::fuzz::start_collector();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  jackdaw::fuzz::run_heap_program({data, size});
  return 0;
}
