// Numbers and offsets out of files.
#include "tools/graph/byte_source.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/refusal.h"
#include "tests/tools/graph/hprof_builder.h"
#include "tests/tools/graph/memory_file.h"
#include "tools/command/input_error.h"

namespace jackdaw::tools {
namespace {

/// Bytes 0, 1, 2 and so on, more than a buffer holds and not a multiple of it.
Bytes counting_bytes() {
  Bytes bytes(3 * ByteSource::kBufferBytes + 5);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  return bytes;
}

TEST(ByteSource, NumbersAreBigEndian) {
  ByteSource source = source_of(counting_bytes());
  EXPECT_EQ(source.read_u1(), 0U);
  EXPECT_EQ(source.read_u2(), 0x0102U);
  EXPECT_EQ(source.read_u4(), 0x0304'0506U);
  EXPECT_EQ(source.read_u8(), 0x0708'090a'0b0c'0d0eU);
  EXPECT_EQ(source.offset(), 15U);
}

TEST(ByteSource, NumbersMayStraddleBuffers) {
  const Bytes bytes = counting_bytes();
  for (const Bytes& file : {bytes, gzipped(bytes)}) {
    ByteSource source = source_of(file);
    source.skip(ByteSource::kBufferBytes - 3);
    EXPECT_EQ(source.read_u8(), 0xfdfe'ff00'0102'0304U);
    EXPECT_FALSE(source.at_end());
    source.skip(2 * ByteSource::kBufferBytes);
    EXPECT_EQ(source.offset(), bytes.size());
    EXPECT_TRUE(source.at_end());
  }
}

TEST(ByteSource, ReadsAgainAfterRewind) {
  ByteSource source = source_of(gzipped(counting_bytes()));
  source.skip(100'000);
  source.rewind();
  EXPECT_EQ(source.offset(), 0U);
  EXPECT_EQ(source.read_u2(), 0x0001U);
}

TEST(ByteSource, NothingCrossesABound) {
  ByteSource source = source_of(counting_bytes());
  source.set_bound(3, "record");
  EXPECT_EQ(source.bytes_to_bound(), 3U);
  EXPECT_THROW(source.read_u4(), InputError);
  EXPECT_THROW(source.skip(4), InputError);
  EXPECT_THROW(source.read_text(4), InputError);
  source.rewind();
  EXPECT_EQ(source.read_u4(), 0x0001'0203U);
}

TEST(ByteSource, HugeCountsTakeNoMemory) {
  ByteSource source = source_of(Bytes(10, 'x'));
  EXPECT_THROW(source.read_text(0xffff'ffff'ffff), InputError);
  source.rewind();
  EXPECT_THROW(source.skip(0xffff'ffff'ffff), InputError);
}

TEST(ByteSource, FailNamesFileAndOffset) {
  ByteSource source = source_of(Bytes(10, 'x'), "heap.hprof");
  EXPECT_EQ(message_of<InputError>([&] { source.fail(7, "bad"); }), "heap.hprof: byte 7: bad");
}

}  // namespace
}  // namespace jackdaw::tools
