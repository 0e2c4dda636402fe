// make_engine: engines by name, and what is refused.
#include "bench/engines/engines.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "heap/block_map.h"
#include "tests/refusal.h"

namespace jackdaw::bench {
namespace {

TEST(Engines, ListTheCollectorsFirst) {
  EXPECT_EQ(engine_queues().front(), "bwos-lifo");
  EXPECT_EQ(engine_victims().front(), "numa-prob");
}

TEST(Engines, AreMadeForAsManyThreadsAsTheirQueueServes) {
  for (const std::string_view queue : engine_queues()) {
    for (const std::string_view victim : {"", "random"}) {
      gc::MarkingOptions options;
      options.engine.threads = serves_one_thread_alone(queue) ? 1 : 2;
      const std::unique_ptr<gc::MarkEngine> engine =
          make_engine({std::string(queue), std::string(victim)}, options);
      EXPECT_EQ(engine->marker().worker_count(), options.engine.threads);
      EXPECT_TRUE(engine->mark({heap::BlockMap()}, {}, {})) << "nothing to mark";
      EXPECT_EQ(engine->marker().statistics().size(), options.engine.threads);
    }
  }
}

std::string refusal(const EngineParts& parts) {
  return message_of<std::invalid_argument>([&] { return make_engine(parts, {}); });
}

TEST(Engines, UnknownNamesAreRefusedByName) {
  EXPECT_NE(refusal({"no-such-queue", ""}).find("no-such-queue"), std::string::npos);
  EXPECT_NE(refusal({"", "no-such-victim"}).find("no-such-victim"), std::string::npos);
  EXPECT_NE(refusal({"bwos-lif", ""}), "accepted") << "a part of a name is no name";
}

}  // namespace
}  // namespace jackdaw::bench
