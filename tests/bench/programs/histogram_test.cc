// The histogram of latencies: percentiles are at most one part in 64 too large.
#include "bench/programs/histogram.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace jackdaw::bench {
namespace {

TEST(LatencyHistogram, EveryNumberIsInABucketThatEndsLittleAboveIt) {
  for (int bit = 0; bit < 64; ++bit) {
    for (const std::int64_t offset : {-1, 0, 1}) {
      const std::uint64_t number = (std::uint64_t{1} << bit) + static_cast<std::uint64_t>(offset);
      const std::size_t bucket = bucket_of(number);
      ASSERT_LT(bucket, std::size_t{kBucketCount});
      EXPECT_GE(largest_in_bucket(bucket), number);
      EXPECT_LE(largest_in_bucket(bucket) - number, number / 64);
      if (bucket != 0) {
        EXPECT_LT(largest_in_bucket(bucket - 1), number);
      }
    }
  }
}

TEST(LatencyHistogram, BucketsFollowOneAnother) {
  for (std::size_t bucket = 0; bucket + 1 < kBucketCount; ++bucket) {
    EXPECT_EQ(bucket_of(largest_in_bucket(bucket)), bucket);
    EXPECT_EQ(bucket_of(largest_in_bucket(bucket) + 1), bucket + 1);
  }
  EXPECT_EQ(bucket_of(UINT64_MAX), std::size_t{kBucketCount} - 1);
}

TEST(LatencyHistogram, PercentilesAreNumbersThatSoManyAreNotAbove) {
  const auto histogram = std::make_unique<Histogram>();
  for (std::uint64_t number = 1; number <= 100; ++number) add_number(histogram.get(), number);
  EXPECT_EQ(percentile(histogram.get(), 0), 1U);
  EXPECT_EQ(percentile(histogram.get(), 50), 50U);
  EXPECT_EQ(percentile(histogram.get(), 99), 99U);
  EXPECT_EQ(percentile(histogram.get(), 99.9), 100U);
  EXPECT_EQ(histogram->sum, 5050U);
}

TEST(LatencyHistogram, NoPercentileIsAboveTheLargestNumber) {
  const auto histogram = std::make_unique<Histogram>();
  EXPECT_EQ(percentile(histogram.get(), 99), 0U);
  add_number(histogram.get(), 1000001);
  EXPECT_EQ(percentile(histogram.get(), 50), 1000001U);
}

TEST(LatencyHistogram, AddedToAnotherCountsWithIt) {
  const auto first = std::make_unique<Histogram>();
  const auto second = std::make_unique<Histogram>();
  add_number(first.get(), 10);
  add_number(second.get(), 20);
  add_number(second.get(), 30);
  add_histogram(first.get(), second.get());
  EXPECT_EQ(first->count, 3U);
  EXPECT_EQ(first->largest, 30U);
  EXPECT_EQ(percentile(first.get(), 50), 20U);
}

}  // namespace
}  // namespace jackdaw::bench
