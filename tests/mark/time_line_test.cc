// TimeLine: what the workers note of a round.
#include "mark/time_line.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "mark/marker.h"
#include "tests/mark/vector_model.h"
#include "tests/scaled.h"

namespace jackdaw::mark {
namespace {

constexpr std::size_t kRoom = std::size_t{1} << 20;

class MarkedWithTimeLine {
 public:
  MarkedWithTimeLine(std::uint32_t threads, std::size_t room, Node nodes = static_cast<Node>(scaled(300000)))
      : time_line(threads, room), model_(random_graph(nodes, 4, 7)) {
    options_.threads = options_.processors = threads;
    options_.time_line = &time_line;
    if (threads > 1) options_.tuning.serial_references = 100;
  }
  void mark() {
    if (!marker_) marker_.emplace(options_);
    model_.clear_marks();
    ASSERT_TRUE(marker_->mark(model_, std::vector<Node>{0, 1, 2, 3}));
  }
  [[nodiscard]] std::span<const WorkerStatistics> statistics() const { return marker_->statistics(); }

  TimeLine time_line;

 private:
  MarkerOptions options_;
  VectorModel model_;
  std::optional<Marker<VectorModel>> marker_;
};

void expect_no_gaps(std::span<const WorkerSpan> spans) {
  for (std::size_t i = 0; i < spans.size(); ++i) {
    EXPECT_LE(spans[i].start, spans[i].end);
    if (i == 0) continue;
    EXPECT_EQ(spans[i].start, spans[i - 1].end) << "span " << i;
    EXPECT_NE(spans[i].activity, spans[i - 1].activity) << "span " << i;
  }
}

TEST(TimeLine, AWorkerAloneWorks) {
  MarkedWithTimeLine marked(1, kRoom);
  marked.mark();
  const auto spans = marked.time_line.of(0).spans();
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].activity, Activity::work);
  EXPECT_LT(spans[0].start, spans[0].end);
}

TEST(TimeLine, SpansOfARoundHaveNoGapsAndEndTogether) {
  MarkedWithTimeLine marked(4, kRoom);
  marked.mark();
  const auto first = marked.time_line.of(0).spans();
  ASSERT_FALSE(first.empty());
  for (std::uint32_t worker = 0; worker < 4; ++worker) {
    const auto spans = marked.time_line.of(worker).spans();
    expect_no_gaps(spans);
    if (spans.empty()) continue;  // it was not called
    EXPECT_EQ(spans.front().start, first.front().start);
    EXPECT_EQ(spans.back().end, first.back().end);
    EXPECT_EQ(spans.front().activity, worker == 0 ? Activity::work : Activity::sleep);
  }
}

TEST(TimeLine, StealsAreThoseOfTheStatistics) {
  MarkedWithTimeLine marked(4, kRoom);
  std::uint64_t all_steals = 0;
  for (int round = 0; round < 100 && all_steals == 0; ++round) {
    marked.time_line.clear();
    marked.mark();
    for (std::uint32_t worker = 0; worker < 4; ++worker) {
      std::uint64_t steals = 0;
      std::uint64_t tasks = 0;
      for (const WorkerSpan& span : marked.time_line.of(worker).spans()) {
        if (span.activity != Activity::steal) continue;
        ++steals;
        tasks += span.tasks;
        EXPECT_NE(span.victim, worker);
        EXPECT_LT(span.victim, 4U);
      }
      EXPECT_EQ(steals, marked.statistics()[worker].steals);
      EXPECT_EQ(tasks, marked.statistics()[worker].tasks_stolen);
      all_steals += steals;
    }
  }
  EXPECT_NE(all_steals, 0U);
}

TEST(TimeLine, CountsWhatItHasNoRoomFor) {
  MarkedWithTimeLine marked(1, 2, 10);
  for (int round = 0; round < 5; ++round) marked.mark();
  EXPECT_EQ(marked.time_line.of(0).spans().size(), 2U);
  EXPECT_EQ(marked.time_line.of(0).dropped(), 3U);
  marked.time_line.clear();
  marked.mark();
  EXPECT_EQ(marked.time_line.of(0).spans().size(), 1U);
  EXPECT_EQ(marked.time_line.of(0).dropped(), 0U);
}

TEST(TimeLine, MustHaveRoomForAllWorkers) {
  TimeLine time_line(2, 1);
  MarkerOptions options;
  options.threads = 3;
  options.time_line = &time_line;
  EXPECT_THROW(Marker<VectorModel>{options}, std::invalid_argument);
}

}  // namespace
}  // namespace jackdaw::mark
