// Cuts and bends a small dump at every byte: the reader must make a sound graph or refuse, never anything
// else.
#include <gtest/gtest.h>

#include "tests/tools/graph/reader_sweeps.h"
#include "tests/tools/graph/sample_dump.h"

namespace jackdaw::tools {
namespace {

TEST(HprofSweep, CutAtEveryByte) {
  // Two of the sample's prefixes are dumps themselves: after the first segment its instance's array is just
  // dangling.
  EXPECT_EQ(accepted_prefixes(check_hprof, sample_dump(8).bytes()), 2U);
  EXPECT_EQ(accepted_prefixes(check_hprof, sample_dump(4).bytes()), 2U);
  // Without its last, empty record.
  EXPECT_EQ(accepted_prefixes(check_hprof, android_dump().bytes()), 1U);
}

TEST(HprofSweep, GzipCutAtEveryByte) {
  EXPECT_EQ(accepted_prefixes(check_hprof, gzipped(sample_dump().bytes())), 0U);
}

TEST(HprofSweep, BendEveryByte) {
  bend_every_byte(check_hprof, sample_dump(8).bytes());
  bend_every_byte(check_hprof, sample_dump(4).bytes());
  bend_every_byte(check_hprof, android_dump().bytes());
}

TEST(HprofSweep, BendEveryByteOfTheGzipFile) { bend_every_byte(check_hprof, gzipped(sample_dump().bytes())); }

TEST(HprofSweep, Corpus) { read_corpus(check_hprof, JACKDAW_TEST_DATA "/hprof_corpus"); }

}  // namespace
}  // namespace jackdaw::tools
