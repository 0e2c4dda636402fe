// Recording: what is recorded of a heap is what the mark loop works with.
#include "bench/simulate/recording.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/heap/heap_graph.h"
#include "bench/heap/serial_mark.h"
#include "bench/heap/span.h"
#include "gc/runtime/collector.h"
#include "tools/graph/graph_options.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::bench {
namespace {

class RecordingOf : public testing::TestWithParam<std::string> {
 protected:
  RecordingOf() : graph_(tools::make_graph(GetParam(), {}), collector_) {}

  static gc::CollectorOptions options() {
    gc::CollectorOptions options;
    options.automatic = false;
    return options;
  }

  gc::Collector collector_{options()};
  HeapGraph graph_;
};

TEST_P(RecordingOf, HasTheTasksAndReferencesOfASerialTraversal) {
  const Recording recording(graph_.roots());
  const SerialMark serial(graph_.roots());
  std::uint64_t marks = 0;
  std::uint64_t leaves = 0;
  std::uint64_t parts = 0;
  for (RecordedNode node = 0; node < recording.node_count(); ++node) {
    if (!recording.has_mark(node)) {
      ++parts;
      continue;
    }
    ++marks;
    if (!recording.is_task(node)) ++leaves;
    EXPECT_LT(recording.line_of(node), recording.line_count());
  }
  EXPECT_EQ(recording.task_count(), work_and_span(graph_.roots()).work);
  EXPECT_EQ(marks, serial.objects());
  EXPECT_EQ(leaves, serial.leaves());
  EXPECT_EQ(recording.reference_count(), serial.references() + parts);
}

TEST_P(RecordingOf, LeadsToEveryNode) {
  const Recording recording(graph_.roots());
  std::vector<bool> reached(recording.node_count(), false);
  for (const RecordedNode root : recording.roots()) reached[root] = true;
  // Nodes are numbered level by level, so each is reached before it is looked at.
  for (RecordedNode node = 0; node < recording.node_count(); ++node) {
    EXPECT_TRUE(reached[node]) << node;
    for (const RecordedNode target : recording.references_of(node)) reached[target] = true;
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, RecordingOf,
                         testing::Values("tree:8", "list:100", "array:5000", "comb:20,20", "random:2000,3",
                                         "rmat:10,64", "layers:3,20"));

}  // namespace
}  // namespace jackdaw::bench
