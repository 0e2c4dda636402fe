// How many cache lines are counted: objects whose places and references are known.
#include "bench/mark/marked_lines.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "bench/heap/heap_graph.h"
#include "gc/runtime/collector.h"
#include "tools/graph/graph_options.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::bench {
namespace {

MarkedLines lines_of(const std::string& spec, std::uint64_t object_bytes) {
  gc::CollectorOptions options;
  options.automatic = false;
  gc::Collector collector(options);
  tools::GraphOptions graph_options;
  graph_options.object_bytes = object_bytes;
  const tools::Graph graph = tools::make_graph(spec, graph_options);
  const HeapGraph heap_graph(graph, collector);
  collector.collect();
  return count_marked_lines(collector.heap());
}

TEST(MarkedLines, OfALineEach) {
  const MarkedLines lines = lines_of("list:1000", 64);
  EXPECT_EQ(lines.objects, 1000U);
  EXPECT_EQ(lines.visited, 1000U);
  EXPECT_EQ(lines.distinct, 1000U);
}

// Four objects to three lines, and every second one reaches into the next line. But a block of 16 KiB holds
// no whole number of objects: its last 16 bytes belong to none.
TEST(MarkedLines, OfNeighboursThatShareThem) {
  const MarkedLines lines = lines_of("ordered:341,4", 48);
  EXPECT_EQ(lines.objects, 341U);
  EXPECT_EQ(lines.visited, 511U);
  EXPECT_EQ(lines.distinct, 256U);
}

TEST(MarkedLines, EndWithTheLastReference) {
  const MarkedLines lines = lines_of("list:100", 4096);
  EXPECT_EQ(lines.visited, 100U);
  EXPECT_EQ(lines.distinct, 100U);
}

TEST(MarkedLines, OfAnArrayAndItsElements) {
  const MarkedLines lines = lines_of("array:100000", 64);
  EXPECT_EQ(lines.objects, 100'001U);
  EXPECT_EQ(lines.visited, 100'000U + (16 + 800'000) / 64 + 1);
  EXPECT_EQ(lines.distinct, lines.visited);
}

TEST(MarkedLines, OfWhatIsReachedAlone) {
  const MarkedLines lines = lines_of("random:1000,1", 64);
  EXPECT_LT(lines.objects, 1000U);
  EXPECT_EQ(lines.visited, lines.objects);
}

}  // namespace
}  // namespace jackdaw::bench
