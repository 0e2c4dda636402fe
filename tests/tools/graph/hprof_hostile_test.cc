// The HPROF reader's messages for files that are wrong: each has its own line, with the byte and what would
// be right.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/refusal.h"
#include "tests/temporary_folder.h"
#include "tests/tools/graph/hprof_builder.h"
#include "tests/tools/graph/memory_file.h"
#include "tests/tools/graph/sample_dump.h"
#include "tools/command/input_error.h"
#include "tools/graph/hprof.h"

namespace jackdaw::tools {
namespace {

/// The message of the InputError that reading `bytes` ends in.
std::string refusal_of_dump(const Bytes& bytes, const HprofLimits& limits = {}) {
  ByteSource source = source_of(bytes);
  return message_of<InputError>([&] { return read_hprof(source, limits); });
}

std::string refusal_of_file(const std::string& path) {
  return message_of<InputError>([&] { return read_hprof(path); });
}

std::string at(std::size_t offset, const std::string& message) {
  return fmt::format("dump: byte {}: {}", offset, message);
}

class HprofFile : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(HprofFile, Directory) {
  EXPECT_EQ(refusal_of_file(folder_.path()), folder_.path() + ": is a directory; must be a file");
}

TEST_F(HprofFile, Missing) {
  const std::string path = folder_.file("none");
  EXPECT_EQ(refusal_of_file(path), path + ": cannot be opened: No such file or directory");
}

TEST_F(HprofFile, Unreadable) {
  if (geteuid() == 0) GTEST_SKIP() << "root can read every file";
  const std::string path = folder_.file("secret");
  std::ofstream(path) << "x";
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  EXPECT_EQ(refusal_of_file(path), path + ": cannot be opened: Permission denied");
}

TEST_F(HprofFile, NamedPipeDoesNotHang) {
  const std::string path = folder_.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(refusal_of_file(path), path + ": must be a regular file, because it is read twice");
}

TEST_F(HprofFile, MessageNamesTheFile) {
  const std::string path = folder_.file("empty.hprof");
  std::ofstream(path).flush();
  EXPECT_EQ(refusal_of_file(path), path + ": byte 0: the file is empty; must be an HPROF heap dump");
}

TEST(HprofHostile, Empty) {
  EXPECT_EQ(refusal_of_dump({}), at(0, "the file is empty; must be an HPROF heap dump"));
}

TEST(HprofHostile, BadMagic) {
  const std::string expected = at(
      0,
      "not a heap dump; must start with 'JAVA PROFILE 1.0.' and 1, 2 or, as Android's, 3, and a zero byte");
  EXPECT_EQ(refusal_of_dump(HprofBuilder(8, "1.0.4").bytes()), expected);
  EXPECT_EQ(refusal_of_dump(HprofBuilder(8, "1.0.0").bytes()), expected);
  EXPECT_EQ(refusal_of_dump(HprofBuilder(8, "1.0.22").bytes()), expected);
  EXPECT_EQ(refusal_of_dump(Bytes(1000, 'x')), expected);
}

TEST(HprofHostile, CutInTheHeader) {
  Bytes bytes = HprofBuilder().bytes();
  bytes.resize(21);
  EXPECT_EQ(refusal_of_dump(bytes),
            at(21, "the file ends here, but its last header should go on to byte 31; must be a whole file"));
}

TEST(HprofHostile, IdentifiersOfThreeBytes) {
  EXPECT_EQ(refusal_of_dump(HprofBuilder(3).bytes()), at(19, "identifiers of 3 bytes; must be 4 or 8"));
}

TEST(HprofHostile, NoHeapDumpRecord) {
  EXPECT_EQ(refusal_of_dump(HprofBuilder().bytes()),
            at(31, "the file ends without a heap dump record; must have one"));
}

TEST(HprofHostile, NoObject) {
  EXPECT_EQ(refusal_of_dump(HprofBuilder().begin_heap().root(1).end_record().bytes()),
            at(49, "the dump ends without an object; must have one"));
}

TEST(HprofHostile, UnknownRecordPastTheEndOfTheFile) {
  EXPECT_EQ(refusal_of_dump(HprofBuilder().u1(0x42).u4(0).u4(100).u4(1).bytes()),
            at(44, "the file ends here, but its last record should go on to byte 140; must be a whole file"));
}

TEST(HprofHostile, UnknownSubRecordTag) {
  EXPECT_EQ(refusal_of_dump(HprofBuilder().begin_heap().u1(0x42).end_record().bytes()),
            at(40, "unknown heap sub-record tag 0x42; must be one of HPROF 1.0.3"));
}

TEST(HprofHostile, AndroidsSubRecordsPastTheirSegment) {
  for (const unsigned tag : {0x89U, 0x8aU, 0x8bU, 0x8cU, 0x8dU, 0x8eU, 0x90U, 0xc3U, 0xfeU}) {
    HprofBuilder dump(8, "1.0.3");
    dump.begin_heap().u1(tag).u4(1).end_record();
    EXPECT_EQ(refusal_of_dump(dump.bytes()),
              at(41, "what is here runs past the end of its record at byte 45; must end inside it"));
  }
}

TEST(HprofHostile, RecordPastTheEndOfTheFile) {
  EXPECT_EQ(refusal_of_dump(HprofBuilder().u1(0x04).u4(0).u4(100).u4(1).bytes()),
            at(44, "the file ends here, but its last record should go on to byte 140; must be a whole file"));
}

TEST(HprofHostile, RecordOfFourGigabytesPastTheEnd) {
  EXPECT_EQ(
      refusal_of_dump(HprofBuilder().u1(0x01).u4(0).u4(0xffff'ffff).u8(1).bytes()),
      at(48,
         "the file ends here, but its last record should go on to byte 4294967335; must be a whole file"));
}

TEST(HprofHostile, StringTooShortForItsIdentifier) {
  EXPECT_EQ(refusal_of_dump(HprofBuilder().begin_record(0x01).u4(1).end_record().bytes()),
            at(40, "what is here runs past the end of its record at byte 44; must end inside it"));
}

TEST(HprofHostile, SubRecordPastItsSegment) {
  HprofBuilder dump;
  dump.begin_heap().u1(0x05).u4(1).end_record().begin_heap().describe_class(1).end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes()),
            at(41, "what is here runs past the end of its record at byte 45; must end inside it"));
}

TEST(HprofHostile, ClassRecordPastItsSegment) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1);
  const std::size_t end = dump.offset();
  Bytes bytes = dump.end_record().bytes();
  --bytes[39];  // the lowest byte of the segment's length
  EXPECT_EQ(refusal_of_dump(bytes),
            at(end - 2, fmt::format("what is here runs past the end of its record at byte {}; must "
                                    "end inside it",
                                    end - 1)));
}

TEST(HprofHostile, InstanceDataPastItsSegment) {
  HprofBuilder dump;
  dump.begin_heap().begin_instance(2, 1, 4).u2(0).end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes()),
            at(40, "an object with 4 bytes of data, but its record has only 2 left; must fit in it"));
}

TEST(HprofHostile, ObjectArrayLongerThanItsRecord) {
  HprofBuilder dump;
  dump.begin_heap().u1(0x22).identifier(2).u4(0).u4(3).identifier(1).identifier(0).identifier(0).end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes()),
            at(40, "an object with 24 bytes of data, but its record has only 16 left; must fit in it"));
}

TEST(HprofHostile, ObjectArrayLengthThatWouldOverflow) {
  HprofBuilder dump;
  dump.begin_heap().u1(0x22).identifier(2).u4(0).u4(0xffff'ffff).identifier(1).end_record();
  EXPECT_EQ(
      refusal_of_dump(dump.bytes()),
      at(40, "an object with 34359738360 bytes of data, but its record has only 0 left; must fit in it"));
}

TEST(HprofHostile, PrimitiveArrayLengthThatWouldOverflow) {
  HprofBuilder dump;
  dump.begin_heap().begin_primitive_array(2, 0x2000'0000, HprofType::int64).end_record();
  EXPECT_EQ(
      refusal_of_dump(dump.bytes()),
      at(40, "an object with 4294967296 bytes of data, but its record has only 0 left; must fit in it"));
}

TEST(HprofHostile, UnknownElementType) {
  for (const unsigned type : {0U, 1U, 2U, 3U, 12U, 255U}) {
    HprofBuilder dump;
    dump.begin_heap().begin_primitive_array(2, 0, static_cast<HprofType>(type)).end_record();
    EXPECT_EQ(refusal_of_dump(dump.bytes()),
              at(57, fmt::format("unknown element type {}; must be 4 to 11", type)));
  }
}

TEST(HprofHostile, UnknownFieldType) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1, 0, {.fields = {static_cast<HprofType>(3)}});
  const std::size_t type_offset = dump.offset() - 1;
  EXPECT_EQ(refusal_of_dump(dump.end_record().bytes()),
            at(type_offset, "unknown field type 3; must be 2 or 4 to 11"));
}

TEST(HprofHostile, GzipCut) {
  Bytes bytes = gzipped(sample_dump().bytes());
  bytes.resize(bytes.size() / 2);
  const std::string message = refusal_of_dump(bytes);
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      " of the uncompressed stream: the gzip stream is cut short here; must be a whole file",
                      message);
}

TEST(HprofHostile, GzipCutInItsTrailer) {
  const std::size_t length = sample_dump().offset();
  for (std::size_t cut = 1; cut <= 8; ++cut) {
    Bytes bytes = gzipped(sample_dump().bytes());
    bytes.resize(bytes.size() - cut);
    EXPECT_EQ(refusal_of_dump(bytes),
              fmt::format("dump: byte {} of the uncompressed stream: the gzip stream is cut short "
                          "here; must be a whole file",
                          length));
  }
}

TEST(HprofHostile, GzipChecksumWrong) {
  Bytes bytes = gzipped(sample_dump().bytes());
  bytes[bytes.size() - 8] ^= 1;
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "the gzip stream is damaged: incorrect data check; must be a whole file",
                      refusal_of_dump(bytes));
}

TEST(HprofHostile, GzipLengthWrong) {
  Bytes bytes = gzipped(sample_dump().bytes());
  bytes.back() ^= 1;
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "the gzip stream is damaged: incorrect length check; must be a whole file",
                      refusal_of_dump(bytes));
}

TEST(HprofHostile, GzipOffsetsAreOfTheUncompressedStream) {
  EXPECT_EQ(
      refusal_of_dump(gzipped(HprofBuilder().begin_heap().u1(0x42).end_record().bytes())),
      "dump: byte 40 of the uncompressed stream: unknown heap sub-record tag 0x42; must be one of HPROF "
      "1.0.3");
}

TEST(HprofHostile, SuperclassCycle) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1, 2).describe_class(2, 3).describe_class(3, 1).end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes()), at(40, "class 0x1 is among its own superclasses; must not be"));
}

TEST(HprofHostile, OwnSuperclass) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1);
  const std::size_t offset = dump.offset();
  dump.describe_class(9, 9).end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes()),
            at(offset, "class 0x9 is among its own superclasses; must not be"));
}

TEST(HprofHostile, InstanceDataOfTheWrongLength) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1, 0, {.fields = {HprofType::reference, HprofType::int32}});
  const std::size_t offset = dump.offset();
  dump.begin_instance(2, 1, 11).text(std::string(11, 'x')).end_record();
  EXPECT_EQ(
      refusal_of_dump(dump.bytes()),
      at(offset, "an instance of class 0x1 with 11 bytes of data; by the class's fields it must have 12"));
}

TEST(HprofHostile, InstancesOfOneClassThatDiffer) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1, 0, {.fields = {HprofType::int8}});
  const std::size_t first = dump.offset();
  dump.begin_instance(2, 1, 1).u1(0);
  const std::size_t second = dump.offset();
  dump.begin_instance(3, 1, 2).u2(0).end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes()),
            at(second, fmt::format("an instance of class 0x1 with 2 bytes of data; the one at "
                                   "byte {} has 1, and all of a class must have the same",
                                   first)));
}

TEST(HprofHostile, InstanceOfUnknownClass) {
  EXPECT_EQ(refusal_of_dump(HprofBuilder().begin_heap().begin_instance(2, 1, 0).end_record().bytes()),
            at(40, "an instance of class 0x1, which the dump does not describe; must have a class record"));
}

TEST(HprofHostile, InstanceWhoseSuperclassIsMissing) {
  HprofBuilder dump;
  dump.begin_heap().begin_instance(4, 3, 0).describe_class(3, 2).describe_class(2, 1).end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes()),
            at(40, "an instance of class 0x3, whose superclasses are not all in the dump; must be"));
}

TEST(HprofHostile, DuplicateIdentifier) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1);
  const std::size_t offset = dump.offset();
  dump.object_array(1, 1, {}).end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes()),
            at(offset, "a second object with the identifier 0x1; must be the only one"));
}

TEST(HprofHostile, ClassDescribedTwice) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1);
  const std::size_t offset = dump.offset();
  dump.describe_class(1, 0, {.fields = {HprofType::int32}}).end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes()),
            at(offset, "a second object with the identifier 0x1; must be the only one"));
}

TEST(HprofHostile, NullIdentifier) {
  EXPECT_EQ(refusal_of_dump(HprofBuilder().begin_heap().describe_class(0).end_record().bytes()),
            at(40, "an object with the identifier 0, which is null; must have another"));
}

TEST(HprofHostile, TooManyNodes) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1).describe_class(2);
  const std::size_t offset = dump.offset();
  dump.describe_class(3).end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes(), {.maximum_nodes = 2}),
            at(offset, "more than 2 objects, the most that a graph can have"));
  EXPECT_EQ(refusal_of_dump(dump.bytes(), {.maximum_nodes = 3}), "accepted");
}

TEST(HprofHostile, HeapCopiesThatDoNotFit) {
  HprofBuilder dump;
  dump.begin_heap()
      .begin_primitive_array(1, 100'000, HprofType::int8)
      .text(std::string(100'000, 'x'))
      .end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes(), {.memory_limit_bytes = 350'000, .heap_copies = 3}), "accepted");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "needs 390.7 KiB of memory, but only 341.8 KiB is available",
                      refusal_of_dump(dump.bytes(), {.memory_limit_bytes = 350'000, .heap_copies = 4}));
}

TEST(HprofHostile, InstancesThatDoNotFit) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1);
  for (std::uint64_t id = 2; id < 1000; ++id) dump.begin_instance(id, 1, 0);
  dump.end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes(), {.memory_limit_bytes = 200'000, .heap_copies = 5}), "accepted");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "and 100 x 15.6 KiB of heap), but only 195.3 KiB is available",
                      refusal_of_dump(dump.bytes(), {.memory_limit_bytes = 200'000, .heap_copies = 100}));
}

/// A gzip file of a few kilobytes that unpacks into `count` times `piece`, in one segment.
Bytes bomb(const Bytes& piece, std::size_t count) {
  HprofBuilder dump;
  dump.begin_heap();
  const std::string_view letters(reinterpret_cast<const char*>(piece.data()), piece.size());
  for (std::size_t i = 0; i < count; ++i) dump.text(letters);
  return gzipped(dump.end_record().bytes());
}

TEST(HprofHostile, GzipBombOfRootsStopsAtTheMemoryLimit) {
  const Bytes packed = bomb({0x05, 0, 0, 0, 0, 0, 0, 0, 1}, 1'000'000);
  EXPECT_LT(packed.size(), 30'000U);
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "what was read so far needs 1.0 MiB of memory, but only 1.0 MiB is available",
                      refusal_of_dump(packed, {.memory_limit_bytes = 1 << 20}));
}

TEST(HprofHostile, GzipBombOfAnArrayStopsAtTheMemoryLimit) {
  HprofBuilder dump;
  dump.begin_heap()
      .begin_primitive_array(1, 8'000'000, HprofType::int8)
      .text(std::string(8'000'000, '\0'))
      .end_record();
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "what was read so far needs 7.6 MiB of memory, but only 1.0 MiB is available",
                      refusal_of_dump(gzipped(dump.bytes()), {.memory_limit_bytes = 1 << 20}));
}

TEST(HprofHostile, GzipBombOfNamesStopsAtTheMemoryLimit) {
  HprofBuilder dump;
  for (std::uint64_t id = 1; id < 20'000; ++id) dump.class_name(id, id);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "of memory, but only 1.0 MiB is available",
                      refusal_of_dump(gzipped(dump.bytes()), {.memory_limit_bytes = 1 << 20}));
}

TEST(HprofHostile, StackOfMoreFramesThanItsRecordHolds) {
  HprofBuilder dump;
  dump.begin_record(0x05).u4(1).u4(1).u4(3).u8(1).u8(2).end_record();
  EXPECT_EQ(refusal_of_dump(dump.bytes()),
            at(40, "a stack of 3 frames, but its record has only 16 bytes left; must fit in it"));
}

TEST(HprofHostile, GzipBombOfAStackStopsAtTheMemoryLimit) {
  HprofBuilder dump;
  dump.begin_record(0x05).u4(1).u4(1).u4(1'000'000).text(std::string(8'000'000, '\0')).end_record();
  EXPECT_PRED_FORMAT2(
      testing::IsSubstring, "of memory, but only 1.0 MiB is available",
      refusal_of_dump(gzipped(dump.bytes()), {.memory_limit_bytes = 1 << 20, .with_names = true}));
}

}  // namespace
}  // namespace jackdaw::tools
