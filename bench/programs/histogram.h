// A histogram of numbers whose buckets grow with them, for latencies from nanoseconds to hours: below 128 a
// bucket is one number; above, each power of two has 64 of equal width. So a percentile, the largest number
// of its bucket, is at most one part in 64 (1.6 %) too large. Debian 12 has no HdrHistogram for C.
// NOLINTBEGIN(modernize-use-nullptr, readability-identifier-naming): this is C, too
#ifndef JACKDAW_BENCH_PROGRAMS_HISTOGRAM_H
#define JACKDAW_BENCH_PROGRAMS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { kBucketBits = 6, kBucketCount = (64 - kBucketBits + 1) << kBucketBits };

// A zeroed histogram is empty.
struct Histogram {
  uint64_t counts[kBucketCount];
  uint64_t count;
  uint64_t largest;
  uint64_t sum;
};

static inline size_t bucket_of(uint64_t number) {
  const int highest_bit = 63 - __builtin_clzll(number | 1);
  const int shift = highest_bit > kBucketBits ? highest_bit - kBucketBits : 0;
  return ((size_t)shift << kBucketBits) + (size_t)(number >> shift);
}

static inline uint64_t largest_in_bucket(size_t bucket) {
  if (bucket < (size_t)2 << kBucketBits) return bucket;
  const size_t shift = (bucket >> kBucketBits) - 1;
  const uint64_t first = bucket - (shift << kBucketBits);
  return (first << shift) + ((UINT64_C(1) << shift) - 1);
}

static inline void add_number(struct Histogram* histogram, uint64_t number) {
  ++histogram->counts[bucket_of(number)];
  ++histogram->count;
  histogram->sum += number;
  if (number > histogram->largest) histogram->largest = number;
}

static inline void add_histogram(struct Histogram* to, const struct Histogram* from) {
  for (size_t i = 0; i < kBucketCount; ++i) to->counts[i] += from->counts[i];
  to->count += from->count;
  to->sum += from->sum;
  if (from->largest > to->largest) to->largest = from->largest;
}

// Returns the least number that `percent` % of the numbers do not exceed; 0 if there are none.
static inline uint64_t percentile(const struct Histogram* histogram, double percent) {
  const double rank = percent / 100 * (double)histogram->count;
  uint64_t below = 0;
  for (size_t i = 0; i < kBucketCount; ++i) {
    below += histogram->counts[i];
    if (below == 0 || (double)below < rank) continue;
    const uint64_t number = largest_in_bucket(i);
    return number < histogram->largest ? number : histogram->largest;
  }
  return histogram->largest;
}

#endif  // JACKDAW_BENCH_PROGRAMS_HISTOGRAM_H
// NOLINTEND(modernize-use-nullptr, readability-identifier-naming)
