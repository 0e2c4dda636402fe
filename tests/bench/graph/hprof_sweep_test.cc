// Cuts and bends a small dump at every byte: the reader must make a sound graph or refuse, never anything
// else.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>

#include "tests/bench/graph/hprof_check.h"
#include "tests/bench/graph/sample_dump.h"

namespace jackdaw::bench {
namespace {

/// How many prefixes of `bytes`, the whole left out, are accepted.
std::size_t accepted_prefixes(const Bytes& bytes) {
  std::size_t accepted = 0;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const HprofOutcome outcome = check_hprof(std::span(bytes).first(length));
    EXPECT_EQ(outcome.defect, "") << "cut to " << length << " bytes: " << outcome.message;
    if (outcome.accepted) ++accepted;
  }
  return accepted;
}

constexpr std::array<std::uint8_t, 3> kMasks{0x01, 0x80, 0xff};

void flip_every_byte(Bytes bytes, std::uint8_t mask) {
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    bytes[place] ^= mask;
    const HprofOutcome outcome = check_hprof(bytes);
    EXPECT_EQ(outcome.defect, "") << "byte " << place << " xor " << int{mask} << ": " << outcome.message;
    bytes[place] ^= mask;
  }
}

TEST(HprofSweep, CutAtEveryByte) {
  // Two of the sample's prefixes are dumps themselves: after the first segment its instance's array is just
  // dangling.
  EXPECT_EQ(accepted_prefixes(sample_dump(8).bytes()), 2U);
  EXPECT_EQ(accepted_prefixes(sample_dump(4).bytes()), 2U);
}

TEST(HprofSweep, GzipCutAtEveryByte) { EXPECT_EQ(accepted_prefixes(gzipped(sample_dump().bytes())), 0U); }

TEST(HprofSweep, FlipEveryByte) {
  for (const std::uint8_t mask : kMasks) flip_every_byte(sample_dump(8).bytes(), mask);
  flip_every_byte(sample_dump(4).bytes(), 0x01);
}

TEST(HprofSweep, FlipEveryByteOfTheGzipFile) {
  for (const std::uint8_t mask : kMasks) flip_every_byte(gzipped(sample_dump().bytes()), mask);
}

}  // namespace
}  // namespace jackdaw::bench
