// Mark threads that cannot be started: fewer markers, one line on stderr, and the same marks.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gc/runtime/collector.h"
#include "gc/runtime/mutator.h"
#include "tests/address_space_limit.h"
#include "tests/gc/runtime/random_heap.h"

namespace jackdaw::gc {
namespace {

// While it exists, threads get stacks of `bytes` bytes unless they say otherwise.
class DefaultStackSize {
 public:
  explicit DefaultStackSize(std::size_t bytes) {
    pthread_attr_t attributes;
    pthread_getattr_default_np(&attributes);
    pthread_attr_getstacksize(&attributes, &before_);
    set(bytes);
  }
  ~DefaultStackSize() { set(before_); }
  DefaultStackSize(const DefaultStackSize&) = delete;
  DefaultStackSize& operator=(const DefaultStackSize&) = delete;

 private:
  static void set(std::size_t bytes) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    EXPECT_EQ(pthread_setattr_default_np(&attributes), 0);
    pthread_attr_destroy(&attributes);
  }

  std::size_t before_ = 0;
};

constexpr std::uint32_t kThreadsAskedFor = 4;

CollectorOptions options() {
  CollectorOptions options;
  options.automatic = false;
  options.marking.engine.threads = kThreadsAskedFor;
  return options;
}

void expect_one_warning(const std::string& printed, std::uint32_t threads) {
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 1) << printed;
  EXPECT_EQ(printed.find("jackdaw: "), 0U) << printed;
  EXPECT_NE(printed.find("mark thread " + std::to_string(threads + 1) + " of 4"), std::string::npos)
      << printed;
  EXPECT_NE(printed.find("marking with " + std::to_string(threads)), std::string::npos) << printed;
}

void expect_correct_marking(Collector& collector) {
  RandomHeap graph(collector, 20'000, 1);
  for (int i = 0; i < 3; ++i) graph.expect_collected_correctly(collector.collect());
}

TEST(FewerThreads, WithoutAnyHelperTheCallerMarksAlone) {
  std::optional<Collector> collector;
  testing::internal::CaptureStderr();
  {
    const DefaultStackSize no_room_for_a_stack(std::size_t{1} << 47);
    collector.emplace(options());
  }
  expect_one_warning(testing::internal::GetCapturedStderr(), 1);
  ASSERT_EQ(collector->mark_threads(), 1U);
  EXPECT_EQ(collector->collect().workers.size(), 1U);
  expect_correct_marking(*collector);
}

TEST(FewerThreads, TheHelpersThatStartedMark) {
  constexpr std::size_t kStack = std::size_t{1} << 30;
  std::optional<Collector> collector;
  testing::internal::CaptureStderr();
  {
    const DefaultStackSize large_stacks(kStack);
    const AddressSpaceLimit room_for_two(2 * kStack + kStack / 2);
    collector.emplace(options());
  }
  // Two helpers, or one where a sanitizer takes address space for each thread.
  const std::uint32_t threads = collector->mark_threads();
  ASSERT_GE(threads, 2U);
  ASSERT_LE(threads, 3U);
  expect_one_warning(testing::internal::GetCapturedStderr(), threads);
  EXPECT_EQ(collector->collect().workers.size(), threads);
  expect_correct_marking(*collector);
}

}  // namespace
}  // namespace jackdaw::gc
