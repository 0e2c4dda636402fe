// SamplePoints: objects become samples with the probability that their size gives them, and an allocator's
// samples are those objects that it says.
#include "heap/sample_points.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "heap/allocator.h"
#include "heap/heap.h"
#include "tests/heap/marks.h"

namespace jackdaw::heap {
namespace {

constexpr std::uint64_t kEvery = 4096;

// Holds with fixed seeds; the bound is some five standard deviations.
TEST(SamplePoints, AnObjectIsASampleAsOftenAsItsSizeSays) {
  constexpr std::uint64_t kObjects = 200'000;
  for (const std::uint64_t bytes : std::initializer_list<std::uint64_t>{16, 1000, 4096, 20'000}) {
    SamplePoints points(bytes);
    std::uint64_t samples = 0;
    for (std::uint64_t left = kObjects; left != 0;) {
      left -= points.pass(bytes, left * bytes, kEvery) / bytes;
      if (left == 0) break;
      ++samples;
      --left;
    }
    const double part = -std::expm1(-static_cast<double>(bytes) / static_cast<double>(kEvery));
    const double deviation = std::sqrt(part * (1 - part) * kObjects);
    EXPECT_NEAR(static_cast<double>(samples), part * kObjects, 5 * deviation + 1) << bytes;
  }
}

TEST(SamplePoints, ASampleStandsForAsManyObjectsAsItsSizeSays) {
  constexpr std::uint64_t kMean = std::uint64_t{1} << 30;
  for (double bytes = 16; bytes < 128.0 * kMean; bytes *= 1.1) {
    const auto whole = static_cast<std::uint64_t>(bytes);
    const double objects = -1 / std::expm1(-static_cast<double>(whole) / kMean);
    EXPECT_NEAR(objects_per_sample(whole, kMean), objects, 1e-10 * objects) << whole;
  }
}

TEST(SamplePoints, AnAllocatorTellsItsSamples) {
  Heap heap;
  Allocator allocator(heap);
  const auto samples_of = [&allocator](std::size_t bytes, int count) {
    int samples = 0;
    for (int i = 0; i < count; ++i) {
      Object* const small =
          bytes <= kLargestSmallBytes ? allocator.allocate_from_run(bytes, KindNumber::words) : nullptr;
      if (small != nullptr) continue;
      const Object* const object = allocator.allocate_plain(bytes, KindNumber::words);
      EXPECT_NE(object, nullptr);
      if (allocator.take_sample(object)) ++samples;
    }
    return samples;
  };
  EXPECT_EQ(samples_of(64, 10'000), 0) << "nothing asked for samples";
  heap.set_sample_every(kEvery);
  EXPECT_NEAR(samples_of(64, 64'000), 1000, 200);
  EXPECT_NEAR(samples_of(100'000, 100), 100, 1) << "each large object is more than twenty intervals long";
  heap.set_sample_every(0);
  samples_of(64, 1000);
  EXPECT_EQ(samples_of(64, 10'000), 0);
}

// A point in a run's memory is for that run's next object, not for one of a size that is wanted first.
TEST(SamplePoints, SizesInTurnTakeTheirShares) {
  constexpr std::array<std::size_t, 4> kSizes{16, 96, 2048, 20'000};
  constexpr int kObjects = 100'000;
  Heap heap;
  heap.set_sample_every(std::uint64_t{1} << 16);
  Allocator allocator(heap);
  std::array<double, kSizes.size()> samples{};
  std::array<double, kSizes.size()> expected{};
  for (int i = 0; i < kObjects; ++i) {
    for (std::size_t size = 0; size < kSizes.size(); ++size) {
      if (kSizes[size] <= kLargestSmallBytes &&
          allocator.allocate_from_run(kSizes[size], KindNumber::words) != nullptr)
        continue;
      const Object* const object = allocator.allocate_plain(kSizes[size], KindNumber::words);
      ASSERT_NE(object, nullptr);
      if (allocator.take_sample(object)) ++samples[size];
      expected[size] = kObjects * -std::expm1(-static_cast<double>(Heap::bytes_of(object)) / (1 << 16));
    }
    if (i % 1000 == 999) keep_nothing(heap);
  }
  for (std::size_t size = 0; size < kSizes.size(); ++size)
    EXPECT_NEAR(samples[size], expected[size], 5 * std::sqrt(expected[size])) << kSizes[size];
}

// Where every second slot is free, each run has one.
TEST(SamplePoints, ShortRunsTakeTheirShare) {
  constexpr std::size_t kBytes = 64;
  constexpr std::size_t kObjects = 20'000;
  constexpr std::size_t kFreed = kObjects / 2;
  constexpr std::size_t kRounds = 20;
  Heap heap;
  Allocator allocator(heap);
  heap.set_sample_every(kEvery);
  int samples = 0;
  const auto allocate = [&] {
    Object* object = allocator.allocate_from_run(kBytes, KindNumber::words);
    if (object == nullptr) object = allocator.allocate_plain(kBytes, KindNumber::words);
    if (allocator.take_sample(object)) ++samples;
    return object;
  };
  std::vector<Object*> live;
  for (std::size_t i = 0; i < kObjects; ++i) {
    Object* const object = allocate();
    if (i % 2 == 0) live.push_back(object);
  }
  samples = 0;
  for (std::size_t round = 0; round < kRounds; ++round) {
    keep_only(heap, live);
    for (std::size_t i = 0; i < kFreed; ++i) allocate();
  }
  const double expected = kRounds * kFreed * -std::expm1(-static_cast<double>(kBytes) / kEvery);
  EXPECT_NEAR(samples, expected, 5 * std::sqrt(expected));
}

TEST(SamplePoints, ANewMeanBeginsAtOnce) {
  SamplePoints points(1);
  EXPECT_EQ(points.pass(16, 16'000, std::uint64_t{1} << 63), 16'000U);
  EXPECT_LT(points.pass(16, 16'000'000, kEvery), 16'000'000U);
}

TEST(SamplePoints, AllocatorsOneAfterTheOtherTakeTheirShare) {
  Heap heap;
  heap.set_sample_every(kEvery);
  int samples = 0;
  for (int i = 0; i < 2000; ++i) {
    Allocator allocator(heap);
    const Object* const object = allocator.allocate_plain(1024, KindNumber::words);
    if (allocator.take_sample(object)) ++samples;
    EXPECT_FALSE(allocator.take_sample(object)) << "once";
    EXPECT_FALSE(allocator.take_sample(nullptr));
  }
  EXPECT_NEAR(samples, 2000 * -std::expm1(-0.25), 100);
}

// A slot that is freed serves the next object of its size.
TEST(SamplePoints, EachSizeTakesItsShareWhereFewObjectsAreReplaced) {
  constexpr std::array<std::size_t, 3> kSizes = {32, 208, 1008};
  constexpr std::size_t kLive = 30;
  constexpr std::size_t kObjects = 3'000'000;
  constexpr std::uint64_t kLong = std::uint64_t{1} << 16;
  Heap heap;
  Allocator allocator(heap);
  heap.set_sample_every(kLong);
  std::mt19937_64 random(5);
  std::array<Object*, kLive> live{};
  std::array<double, kSizes.size()> samples{};
  std::array<double, kSizes.size()> expected{};
  for (std::size_t i = 0; i < kObjects; ++i) {
    Object*& place = live[random() % kLive];
    if (place != nullptr) allocator.free(place);
    const std::size_t size = random() % kSizes.size();
    place = allocator.allocate_from_run(kSizes[size], KindNumber::words);
    if (place == nullptr) place = allocator.allocate_plain(kSizes[size], KindNumber::words);
    if (allocator.take_sample(place)) ++samples[size];
    expected[size] += -std::expm1(-static_cast<double>(Heap::bytes_of(place)) / kLong);
  }
  for (std::size_t size = 0; size < kSizes.size(); ++size)
    EXPECT_NEAR(samples[size], expected[size], 5 * std::sqrt(expected[size])) << kSizes[size];
}

TEST(SamplePoints, AFreedSlotThatIsAllocatedAgainCounts) {
  Heap heap;
  Allocator allocator(heap);
  heap.set_sample_every(kEvery);
  int samples = 0;
  for (int i = 0; i < 64'000; ++i) {
    Object* object = allocator.allocate_from_run(64, KindNumber::words);
    if (object == nullptr) object = allocator.allocate_plain(64, KindNumber::words);
    if (allocator.take_sample(object)) ++samples;
    allocator.free(object);
  }
  EXPECT_NEAR(samples, 1000, 200);
}

}  // namespace
}  // namespace jackdaw::heap
