// The reader of Jackdaw's heap dumps: what it makes of good ones, and what it says of bad ones.
#include "tools/graph/dump_graph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/tools/graph/dump_builder.h"
#include "tests/tools/graph/graph_invariants.h"
#include "tests/tools/graph/memory_file.h"
#include "tests/tools/graph/reader_sweeps.h"

namespace jackdaw::tools {
namespace {

Graph graph_of(const Bytes& bytes, bool headers = false) {
  ByteSource source = source_of(bytes);
  return read_heap_dump(source, {.headers = headers});
}

Bytes compressed(const Bytes& bytes) {
  Bytes out(ZSTD_compressBound(bytes.size()));
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3);
  EXPECT_EQ(ZSTD_isError(size), 0U);
  out.resize(size);
  return out;
}

// The small dump's nodes are three objects and two fillers, one of data and a filler, a large one, and behind
// a filler one that is not collected.
void expect_small_graph(const Graph& graph) {
  EXPECT_EQ(broken_invariant(graph), "");
  ASSERT_EQ(graph.node_count, 10U);
  const std::vector<NodeId> first(graph.slots_of(0).begin(), graph.slots_of(0).end());
  EXPECT_EQ(first, (std::vector<NodeId>{3, kNullNode, kNullNode, 5}));
  EXPECT_TRUE(graph.slots_of(1).empty());
  EXPECT_TRUE(graph.slots_of(2).empty());
  const std::vector<NodeId> last(graph.slots_of(3).begin(), graph.slots_of(3).end());
  EXPECT_EQ(last, (std::vector<NodeId>{kNullNode, 0}));
  EXPECT_EQ(graph.type_of(5).layout, NodeType::Layout::data);
  EXPECT_EQ(graph.type_of(6).layout, NodeType::Layout::data);
  EXPECT_EQ(graph.type_of(7).name, "Node");
  const std::vector<NodeId> large(graph.slots_of(7).begin(), graph.slots_of(7).end());
  EXPECT_EQ(large, std::vector<NodeId>{9});
  EXPECT_EQ(graph.roots, (std::vector<NodeId>{9, 0, 7}));
  EXPECT_EQ(graph.note, "6 live objects; 4 nodes stand for what lay between them");
  // Nothing leads to the object behind the filler at 0x10040.
  EXPECT_EQ(reachable(graph).nodes, 5U);
}

TEST(DumpGraph, HasObjectsAndWhatLiesBetweenThem) {
  const Graph graph = graph_of(small_dump().bytes());
  expect_small_graph(graph);
  EXPECT_EQ(graph.bytes_of(0), 32U);
  EXPECT_EQ(graph.bytes_of(7), 4096U);
}

TEST(DumpGraph, IsReadFromACompressedFile) { expect_small_graph(graph_of(compressed(small_dump().bytes()))); }

TEST(DumpGraph, HasLargeObjectsThatShareBlocks) {
  DumpBuilder dump;
  dump.program().kinds().block(0x10000, 0, 20'480, 4).object(2, 1).reference(2'559, 0x1f000);
  dump.object(2, 0).end_list().end(2 * 20'480);
  const Graph graph = graph_of(dump.bytes());
  EXPECT_EQ(broken_invariant(graph), "");
  EXPECT_EQ(graph.note, "2 live objects; 2 nodes stand for what lay between them");
  ASSERT_EQ(graph.slots_of(1).size(), 2'560U);
  EXPECT_EQ(graph.slots_of(1).back(), NodeId{3});
}

TEST(DumpGraph, MakesRoomForHeaders) {
  const Graph graph = graph_of(small_dump().bytes(), true);
  expect_small_graph(graph);
  EXPECT_EQ(graph.bytes_of(0), 48U);
}

TEST(DumpGraph, KnowsTheCallsThatAllocatedSamples) {
  ByteSource source = source_of(small_dump().bytes());
  const DumpedHeap heap = read_dumped_heap(source, {});
  EXPECT_EQ(heap.allocating_calls, (std::vector<std::vector<std::uint64_t>>{{}, {0x2010, 0x2020}}));
  EXPECT_EQ(heap.samples, (std::map<NodeId, std::uint64_t>{{7, 1}}));
}

// ---- Bad files ----

std::string refusal_of(const Bytes& bytes) { return refusal_by(check_dump, bytes); }

std::string refused_at(std::size_t offset, const std::string& message) {
  return fmt::format("dump: byte {}: {}", offset, message);
}

TEST(DumpHostile, IsAnotherFile) {
  const std::string expected = refused_at(0, "not one of Jackdaw's heap dumps; must begin with JDHEAP1");
  EXPECT_EQ(refusal_of({}), expected);
  EXPECT_EQ(refusal_of(DumpBuilder("JDHEAP2\n").program().bytes()), expected);
  EXPECT_EQ(refusal_of({'J', 'D'}), expected);
}

TEST(DumpHostile, BeginsWithAnotherRecord) {
  EXPECT_EQ(refusal_of(DumpBuilder().kinds().bytes()),
            refused_at(8, "the first record must be P, which tells the program"));
}

TEST(DumpHostile, HasAnUnknownRecord) {
  DumpBuilder dump;
  const std::size_t at = dump.program().offset();
  EXPECT_EQ(
      refusal_of(dump.byte('X').bytes()),
      refused_at(at, "no record begins like this; must be one of the letters M, K, T, B, C, S, R, A, E"));
}

TEST(DumpHostile, HasASampleOfUnknownCalls) {
  DumpBuilder dump;
  const std::size_t at = dump.program().calls({0x2010}).offset();
  EXPECT_EQ(refusal_of(dump.sample(0x10000, 1).bytes()),
            refused_at(at + 1, "an object of calls that no record told"));
}

TEST(DumpHostile, HasASampleWhereNoObjectIs) {
  DumpBuilder dump;
  dump.program().kinds().block(0x10000, 1, 32, 2).object(1, 0).end_list().calls({0x2010});
  const std::size_t at = dump.offset();
  EXPECT_EQ(refusal_of(dump.sample(0x10020, 0).end(32).bytes()),
            refused_at(at + 1, "a reference to 0x10020, where no object is; must be an object's address"));
}

TEST(DumpHostile, HasTooManyCalls) {
  DumpBuilder dump;
  const std::size_t at = dump.program().tag(gc::DumpTag::calls).offset();
  EXPECT_EQ(refusal_of(dump.number(1025).bytes()), refused_at(at, "the number of calls 1025 is above 1024"));
}

TEST(DumpHostile, HasKindsOutOfOrder) {
  DumpBuilder dump;
  const std::size_t at = dump.program().offset();
  EXPECT_EQ(refusal_of(dump.kind(1, 2).bytes()),
            refused_at(at + 1, "kinds must be numbered from 0 to 31 in order"));
}

TEST(DumpHostile, HasABlockOfNoKind) {
  DumpBuilder dump;
  const std::size_t at = dump.program().kinds().offset();
  EXPECT_EQ(refusal_of(dump.block(0x10000, 4, 32, 2).bytes()),
            refused_at(at + 1, "a block of a kind that no record told"));
}

TEST(DumpHostile, HasABlockBeyondAllAddresses) {
  DumpBuilder dump;
  const std::size_t at = dump.program().kinds().offset();
  EXPECT_EQ(refusal_of(dump.block(0x10000, 0, std::uint64_t{1} << 40, std::uint64_t{1} << 40).bytes()),
            refused_at(at + 1, "a block without objects, or beyond all addresses"));
}

TEST(DumpHostile, HasABlockThatIsTooLarge) {
  DumpBuilder dump;
  const std::size_t at = dump.program().kinds().offset();
  EXPECT_EQ(refusal_of(dump.block(0x10000, 0, 16, 1025).bytes()),
            refused_at(at + 1, "a block of 1025 objects of 16 bytes; must have 16384 bytes at most"));
}

TEST(DumpHostile, HasASpanThatIsTooLong) {
  DumpBuilder dump;
  const std::size_t at = dump.program().kinds().offset();
  EXPECT_EQ(refusal_of(dump.block(0x10000, 0, 61'440, 5).bytes()),
            refused_at(at + 1, "a block of 5 objects of 61440 bytes; must have 245760 bytes at most"));
}

TEST(DumpHostile, HasAnObjectBehindItsBlock) {
  DumpBuilder dump;
  dump.program().kinds().block(0x10000, 0, 32, 2).object(1, 0);
  const std::size_t at = dump.offset();
  EXPECT_EQ(refusal_of(dump.object(2, 0).bytes()),
            refused_at(at, "the distance between two objects 2 is above 1"));
}

TEST(DumpHostile, HasAReferenceBehindItsObject) {
  DumpBuilder dump;
  dump.program().kinds().block(0x10000, 0, 32, 2).object(1, 1);
  const std::size_t at = dump.offset();
  EXPECT_EQ(refusal_of(dump.reference(4, 0x10000).bytes()),
            refused_at(at, "the word of a reference 5 is above 4"));
}

TEST(DumpHostile, HasAReferenceToNothing) {
  DumpBuilder dump;
  dump.program().kinds().block(0x10000, 0, 32, 2).object(1, 1).reference(0, 0x20000).end_list().end(32);
  const std::string message = refusal_of(dump.bytes());
  EXPECT_NE(message.find("a reference to 0x20000, where no object is; must be an object's address"),
            std::string::npos)
      << message;
}

TEST(DumpHostile, HasOneObjectTwice) {
  DumpBuilder dump;
  dump.program().kinds().block(0x10000, 0, 32, 2).object(1, 0).end_list();
  dump.block(0x10000, 0, 32, 2).object(1, 0).end_list();
  const std::string message = refusal_of(dump.end(64).bytes());
  EXPECT_NE(message.find("a second object at 0x10000; must be the only one"), std::string::npos) << message;
}

TEST(DumpHostile, HasFewerObjectsThanItTells) {
  DumpBuilder dump;
  dump.program().kinds().block(0x10000, 0, 32, 2).object(1, 0).end_list();
  const std::size_t at = dump.offset();
  EXPECT_EQ(refusal_of(dump.tag(gc::DumpTag::end).number(2).number(64).number(0).number(0).bytes()),
            refused_at(at + 1,
                       "the last record tells of 2 objects, 0 references and 0 roots, but there are 1, "
                       "0 and 0"));
}

TEST(DumpHostile, GoesOnBehindItsEnd) {
  DumpBuilder dump = small_dump();
  const std::size_t at = dump.offset();
  EXPECT_EQ(refusal_of(dump.byte(0).bytes()),
            refused_at(at, "something follows the last record; must be the end"));
}

TEST(DumpHostile, HasNoObject) {
  DumpBuilder dump;
  dump.program().kinds().end(0);
  EXPECT_EQ(refusal_of(dump.bytes()), refused_at(dump.offset(), "the dump has no object; must have one"));
}

TEST(DumpHostile, HasANumberOfTooManyBits) {
  DumpBuilder dump;
  dump.tag(gc::DumpTag::program);
  for (int i = 0; i < 9; ++i) dump.byte(0xff);
  dump.byte(2);
  EXPECT_EQ(refusal_of(dump.bytes()),
            refused_at(dump.offset(), "the process's number has more than 64 bits"));
}

TEST(DumpHostile, TakesMoreMemoryThanThereIs) {
  DumpBuilder dump;
  dump.program().kinds();
  constexpr std::uint64_t kSlots = 1024;
  for (std::uint64_t block = 1; block <= 1000; ++block)
    dump.block(block << 14, 0, 16, kSlots).object(kSlots, 0).end_list();
  const std::string message = refusal_of(dump.end(16'000).bytes());
  EXPECT_NE(message.find("what was read so far needs"), std::string::npos) << message;
}

TEST(DumpHostile, TellsOfMoreFilesThanAProcessCanMap) {
  DumpBuilder dump;
  dump.program();
  for (int file = 0; file < 65; ++file)
    dump.tag(gc::DumpTag::object_file).number(0).text(std::string(65'536, 'x')).end_list();
  const std::string message =
      refusal_of(dump.kinds().block(0x10000, 0, 32, 1).object(1, 0).end_list().end(32).bytes());
  EXPECT_NE(
      message.find("the program's files so far take more than 4.0 MiB; must be those that a process can "
                   "have mapped"),
      std::string::npos)
      << message;
}

TEST(DumpHostile, HasMoreTypesThanThereIsMemory) {
  DumpBuilder dump;
  dump.program().kinds();
  constexpr std::uint64_t kSlots = 1024;
  for (std::uint64_t block = 1; block <= 200; ++block) {
    dump.block(block << 14, 3, 16, kSlots);
    for (std::uint64_t slot = 0; slot < kSlots; ++slot) dump.typed_object(1, (block << 14) + slot, 0);
    dump.end_list();
  }
  const std::string message = refusal_of(dump.end(200 * kSlots * 16).bytes());
  EXPECT_NE(message.find("what was read so far needs"), std::string::npos) << message;
}

TEST(DumpHostile, HasMoreThreadsThanThereIsMemory) {
  DumpBuilder dump;
  dump.program().kinds().block(0x10000, 0, 32, 1).object(1, 0).end_list();
  for (std::uint64_t thread = 0; thread < 600'000; ++thread)
    dump.tag(gc::DumpTag::return_addresses).number(thread).number(1).number(0).end_list();
  const std::string message = refusal_of(dump.end(32).bytes());
  EXPECT_NE(message.find("what was read so far needs"), std::string::npos) << message;
}

TEST(DumpGraph, CutsNamesOfTypes) {
  DumpBuilder dump;
  dump.program().kinds().block(0x10000, 3, 32, 1).typed_object(1, 7, 0).end_list();
  dump.tag(gc::DumpTag::type).number(7).text(std::string(60'000, 'T')).end(32);
  EXPECT_EQ(graph_of(dump.bytes()).type_of(0).name, std::string(256, 'T'));
}

TEST(DumpHostile, IsCutInTheCompressedStream) {
  Bytes bytes = compressed(small_dump().bytes());
  bytes.resize(bytes.size() - 1);
  EXPECT_NE(refusal_of(bytes).find("the zstd stream is cut short here; must be a whole file"),
            std::string::npos);
}

// ---- Files ----

TEST(DumpFiles, OfRealProgramsReachTheirLiveObjects) {
  struct Heap {
    std::string name;
    std::uint64_t live;
  };
  for (const Heap& heap : {Heap{"guile", 79'367}, Heap{"mailutils", 23'669}, Heap{"neko", 126'044}}) {
    SCOPED_TRACE(heap.name);
    const Graph graph = read_heap_dump(JACKDAW_TEST_DATA "/" + heap.name + ".dump", {.headers = false});
    EXPECT_EQ(broken_invariant(graph), "");
    EXPECT_EQ(reachable(graph).nodes, heap.live);
    EXPECT_TRUE(graph.note.starts_with(std::to_string(heap.live) + " live objects;")) << graph.note;
  }
}

TEST(DumpSweep, CutAtEveryByte) {
  EXPECT_EQ(accepted_prefixes(check_dump, small_dump().bytes()), 0U);
  EXPECT_EQ(accepted_prefixes(check_dump, compressed(small_dump().bytes())), 0U);
}

TEST(DumpSweep, BendEveryByte) {
  bend_every_byte(check_dump, small_dump().bytes());
  bend_every_byte(check_dump, compressed(small_dump().bytes()));
}

TEST(DumpSweep, Corpus) { read_corpus(check_dump, JACKDAW_TEST_DATA "/dump_corpus"); }

}  // namespace
}  // namespace jackdaw::tools
