// How much memory graphs take, and the arithmetic behind it.
#include "tools/graph/footprint.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/refusal.h"
#include "tools/command/input_error.h"
#include "tools/command/saturating.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::tools {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(Saturating, StaysAtTheMost) {
  EXPECT_EQ(saturating_add(2, 3), 5U);
  EXPECT_EQ(saturating_add(kMost, 1), kMost);
  EXPECT_EQ(saturating_multiply(1U << 31, 1U << 31), std::uint64_t{1} << 62);
  EXPECT_EQ(saturating_multiply(kMost / 2, 3), kMost);
  EXPECT_EQ(round_up_to_8(0), 0U);
  EXPECT_EQ(round_up_to_8(17), 24U);
  EXPECT_EQ(round_up_to_8(kMost - 6), kMost);
}

TEST(Footprint, UniformAndMixedHeaps) {
  EXPECT_EQ(heap_bytes(make_graph("list:10")), 480U);
  EXPECT_EQ(heap_bytes(make_graph("array:10")), 10U * 48 + 16 + 80);
}

TEST(Footprint, DescriptionCountsEveryVector) {
  const std::uint64_t type_and_root = sizeof(NodeType) + sizeof(NodeId);
  EXPECT_EQ(description_bytes(make_graph("ordered:10,2")), 20 * 4 + type_and_root);
  EXPECT_EQ(description_bytes(make_graph("shuffled:10,2")), 20 * 4 + 10 * 4 + type_and_root);
}

TEST(Footprint, RequireMemoryCountsCopies) {
  EXPECT_NO_THROW(require_memory("x", 10, 20, 2, 50));
  EXPECT_THROW(require_memory("x", 10, 20, 2, 49), InputError);
  EXPECT_THROW(require_memory("x", 10, kMost / 2, 3, kMost - 1), InputError);
}

std::string refusal(unsigned heap_copies) {
  return message_of<InputError>([&] { require_memory("graph 'x'", 1024, 2048, heap_copies, 1000); });
}

TEST(Footprint, MessageSaysNeededAndAvailable) {
  EXPECT_EQ(refusal(2),
            "graph 'x': needs 5.0 KiB of memory (1.0 KiB to describe it and 2 x 2.0 KiB of heap), but only "
            "1000 B is available");
  EXPECT_EQ(refusal(0), "graph 'x': needs 1.0 KiB of memory, but only 1000 B is available");
}

}  // namespace
}  // namespace jackdaw::tools
