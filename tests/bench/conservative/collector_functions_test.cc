// That the two collectors, whose functions have the same names, are kept apart.
#include "bench/conservative/collector_functions.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace jackdaw::bench {
namespace {

std::string file_of(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0) return "";
  return std::filesystem::path(info.dli_fname).filename();
}

TEST(CollectorFunctions, AreThoseOfTheLibrariesTheyName) {
#define EXPECT_APART(function)                                                                      \
  EXPECT_TRUE(file_of(reinterpret_cast<void*>(libgc_functions().function)).starts_with("libgc.so")) \
      << #function;                                                                                 \
  EXPECT_FALSE(file_of(reinterpret_cast<void*>(jackdaw_functions().function)).starts_with("libgc")) \
      << #function
  JACKDAW_FOR_EACH_COLLECTOR_FUNCTION(EXPECT_APART);
#undef EXPECT_APART
}

TEST(CollectorFunctions, EachHasAHeapOfItsOwn) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const CollectorFunctions ours = jackdaw_functions();
  const CollectorFunctions libgc = libgc_functions();
  ours.init();
  libgc.init();
  const std::size_t libgc_before = libgc.get_heap_size();
  ASSERT_NE(ours.malloc_atomic(kBytes), nullptr);
  EXPECT_EQ(libgc.get_heap_size(), libgc_before);
  const std::size_t ours_before = ours.get_heap_size();
  EXPECT_GE(ours_before, kBytes);
  ASSERT_NE(libgc.malloc_atomic(kBytes), nullptr);
  EXPECT_EQ(ours.get_heap_size(), ours_before);
  EXPECT_GE(libgc.get_heap_size(), kBytes);
}

}  // namespace
}  // namespace jackdaw::bench
