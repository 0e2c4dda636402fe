// make_marking: engines by name, and what is refused.
#include "gc/marking.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gc/collector.h"
#include "heap/heap.h"
#include "heap/memory_nodes.h"

namespace jackdaw::gc {
namespace {

TEST(Marking, ListsTheDefaultFirst) {
  ASSERT_FALSE(queue_names().empty());
  ASSERT_FALSE(victim_names().empty());
  EXPECT_EQ(queue_names().front(), "bwos-lifo");
  EXPECT_EQ(victim_names().front(), "numa-prob");
  EXPECT_EQ(termination_names().front(), "owst");
}

TEST(Marking, MakesEveryQueueForAsManyThreadsAsItServes) {
  for (const std::string_view queue : queue_names()) {
    MarkingOptions options;
    options.queue = queue;
    options.engine.threads = serves_one_thread_alone(queue) ? 1 : 2;
    const std::unique_ptr<Marking> marking = make_marking(options);
    EXPECT_EQ(marking->worker_count(), options.engine.threads);
    EXPECT_TRUE(marking->mark(heap::BlockMap(), {}, {})) << "nothing to mark";
    EXPECT_EQ(marking->statistics().size(), options.engine.threads);
  }
}

TEST(Marking, BoundedQueuesTellTheirMemory) {
  for (const std::string_view queue : {"bwos-lifo"}) {
    MarkingOptions options;
    options.queue = queue;
    const std::unique_ptr<Marking> marking = make_marking(options);
    EXPECT_GE(marking->memory_bytes(), options.engine.blocks * options.engine.block_size * sizeof(MarkTask));
  }
}

std::string refusal(const MarkingOptions& options) {
  try {
    make_marking(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Marking, UnknownNamesAreRefusedByName) {
  MarkingOptions options;
  options.queue = "no-such-queue";
  EXPECT_NE(refusal(options).find("no-such-queue"), std::string::npos);
  options = {};
  options.engine.victim = "no-such-victim";
  EXPECT_NE(refusal(options).find("no-such-victim"), std::string::npos);
  options = {};
  options.engine.termination = "no-such-detector";
  EXPECT_NE(refusal(options).find("no-such-detector"), std::string::npos);
  options = {};
  options.queue = "bwos-lif";
  EXPECT_NE(refusal(options), "") << "a part of a name is no name";
}

TEST(Marking, SizesOutOfRangeAreRefused) {
  for (const std::size_t blocks : {std::size_t{0}, std::size_t{1}, (std::size_t{1} << 16) + 1}) {
    MarkingOptions options;
    options.engine.blocks = blocks;
    EXPECT_NE(refusal(options), "") << blocks;
  }
  for (const std::size_t block_size : {std::size_t{0}, std::size_t{65'535}}) {
    MarkingOptions options;
    options.engine.block_size = block_size;
    EXPECT_NE(refusal(options), "") << block_size;
  }
}

TEST(Marking, ACollectorRefusesWhatItsMarkingRefuses) {
  CollectorOptions options;
  options.marking.queue = "no-such-queue";
  EXPECT_THROW(Collector{options}, std::invalid_argument);
  options = {};
  options.marking.engine.blocks = 1;
  EXPECT_THROW(Collector{options}, std::invalid_argument);
}

}  // namespace
}  // namespace jackdaw::gc
