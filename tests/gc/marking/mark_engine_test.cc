// make_mark_engine: the collector's engine, and what it refuses.
#include "gc/marking/mark_engine.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <stdexcept>

#include "gc/runtime/collector.h"
#include "heap/block_map.h"

namespace jackdaw::gc {
namespace {

TEST(MarkEngine, HasAsManyWorkersAsThreadsAndMarksNothing) {
  for (const std::uint32_t threads : {1U, 2U}) {
    MarkingOptions options;
    options.engine.threads = threads;
    const std::unique_ptr<MarkEngine> engine = make_mark_engine(options);
    EXPECT_EQ(engine->marker().worker_count(), threads);
    EXPECT_TRUE(engine->mark({heap::BlockMap()}, {}, {}));
    EXPECT_EQ(engine->marker().statistics().size(), threads);
  }
}

TEST(MarkEngine, TellsTheMemoryOfItsQueues) {
  const MarkingOptions options;
  const std::size_t block_bytes = options.engine.tuning.block_size * sizeof(MarkTask);
  EXPECT_GE(make_mark_engine(options)->marker().memory_bytes(), block_bytes);
  EXPECT_LE(make_mark_engine(options)->marker().memory_bytes(), 2 * block_bytes)
      << "what is not used takes none";
}

TEST(MarkEngine, SizesOutOfRangeAreRefused) {
  for (const std::size_t blocks : {std::size_t{0}, std::size_t{1}, (std::size_t{1} << 16) + 1}) {
    MarkingOptions options;
    options.engine.tuning.blocks = blocks;
    EXPECT_THROW(make_mark_engine(options), std::invalid_argument) << blocks;
  }
  for (const std::size_t block_size : {std::size_t{0}, std::size_t{65'535}}) {
    MarkingOptions options;
    options.engine.tuning.block_size = block_size;
    EXPECT_THROW(make_mark_engine(options), std::invalid_argument) << block_size;
  }
}

TEST(MarkEngine, ACollectorRefusesWhatItsMarkingRefuses) {
  CollectorOptions options;
  options.marking.engine.tuning.blocks = 1;
  EXPECT_THROW(Collector{options}, std::invalid_argument);
}

}  // namespace
}  // namespace jackdaw::gc
