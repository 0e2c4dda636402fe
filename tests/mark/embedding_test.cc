// The engine's guarantees to embedders, beside marking: see mark/marker.h and mark/object_model.h.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "jackdaw/object_model.h"
#include "mark/marker.h"
#include "tests/mark/vector_model.h"
#include "tests/scaled.h"

namespace jackdaw::mark {
namespace {

// Counts the visits of each worker where that worker alone writes.
class CountingModel : public VectorModel {
 public:
  CountingModel(std::vector<std::vector<Node>> edges, std::uint32_t workers)
      : VectorModel(std::move(edges)), visits_(workers) {}

  template <typename Sink>
  void visit(Node node, Sink& sink) {
    ++visits_[sink.worker()].count;
    VectorModel::visit(node, sink);
  }
  std::uint64_t visits_of(std::uint32_t worker) const { return visits_[worker].count; }

 private:
  struct alignas(128) Visits {
    std::uint64_t count = 0;
  };
  std::vector<Visits> visits_;
};

TEST(Embedding, TellsAVisitWhichWorkerVisits) {
  MarkerOptions options;
  options.threads = 3;
  options.tuning.serial_references = 0;
  CountingModel model(random_graph(static_cast<Node>(scaled(100000)), 4, 5), options.threads);
  Marker<CountingModel> marker(options);
  ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
  for (std::uint32_t worker = 0; worker < options.threads; ++worker)
    EXPECT_EQ(model.visits_of(worker), marker.statistics()[worker].tasks_executed) << worker;
}

// Counts the prefetches of what lies behind an object, by one worker.
class FollowingModel : public VectorModel {
 public:
  using VectorModel::VectorModel;

  void prefetch_following(Node) const { ++asked_; }
  std::uint64_t asked() const { return asked_; }

 private:
  mutable std::uint64_t asked_ = 0;
};

std::uint64_t times_asked_behind(std::vector<std::vector<Node>> edges) {
  MarkerOptions options;
  options.threads = 1;
  FollowingModel model(std::move(edges));
  Marker<FollowingModel> marker(options);
  marker.mark(model, std::vector<Node>{0});
  return model.asked();
}

TEST(Embedding, AsksForWhatLiesBehindTheObjectsOfAListAlone) {
  constexpr Node kNodes = 1000;
  std::vector<std::vector<Node>> list(kNodes);
  for (Node i = 0; i + 1 < kNodes; ++i) list[i] = {i + 1};
  EXPECT_GE(times_asked_behind(std::move(list)), kNodes / 2);
  EXPECT_LT(times_asked_behind(random_graph(kNodes, 4, 5)), kNodes / 10);
}

// Visits a node edge by edge: its task reports one part for each.
class PartsModel {
 public:
  using Reference = Node;
  using Task = std::uint64_t;

  explicit PartsModel(const std::vector<std::vector<Node>>& edges) : whole_(edges), edges_(edges) {}

  MarkOutcome<Task> mark(Reference node, Sharing sharing) {
    return whole_.mark(node, sharing).is_newly_marked() ? MarkOutcome<Task>(Task{node}) : MarkOutcome<Task>();
  }
  bool is_marked(Reference node) const { return whole_.is_marked(node); }
  void prefetch_mark(Reference) const {}
  void prefetch(Task) const {}
  template <typename Sink>
  void visit(Task task, Sink& sink) const {
    const auto& targets = edges_[static_cast<Node>(task)];
    const std::uint64_t part = task >> 32;
    if (part != 0) return sink.reference(targets[part - 1]);
    for (std::uint64_t i = 1; i <= targets.size(); ++i) sink.task(task | i << 32);
  }
  const VectorModel& whole() const { return whole_; }

 private:
  VectorModel whole_;
  std::vector<std::vector<Node>> edges_;
};

// Few enough nodes that none needs the queue, so that nothing is dropped.
TEST(Embedding, VisitsPartsAtOnceThatCannotBeKept) {
  for (const std::uint32_t threads : {1U, 2U}) {
    MarkerOptions options;
    options.threads = threads;
    options.overflow_limit = 0;
    options.tuning.blocks = 2;
    options.tuning.block_size = 1;
    options.tuning.serial_references = 0;
    PartsModel model(random_graph(100, 9, 5));
    Marker<PartsModel> marker(options);
    ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
    const std::vector<bool> expected = model.whole().serially_reachable({0});
    EXPECT_EQ(model.whole().marks(), expected);
    EXPECT_EQ(total(marker.statistics()).references_visited, model.whole().edges_of(expected));
  }
}

TEST(Embedding, MarksAloneAndEndsWellInTheChildOfAFork) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's runtime may hang in the child";
  for (const bool has_marked : {false, true}) {
    MarkerOptions options;
    options.threads = 4;
    options.tuning.serial_references = 0;
    VectorModel model(random_graph(5000, 4, 3));
    const std::vector<Node> roots{0};
    auto marker = std::make_unique<Marker<VectorModel>>(options);
    if (has_marked) marker->mark(model, roots);
    marker->wake_helpers();
    const pid_t child = fork();
    if (child == 0) {
      bool is_right = true;
      for (int round = 0; round < 3; ++round) {
        model.clear_marks();
        marker->wake_helpers();
        is_right = marker->mark(model, roots) && model.marks() == model.serially_reachable(roots) && is_right;
      }
      marker.reset();
      _exit(is_right ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    model.clear_marks();
    EXPECT_TRUE(marker->mark(model, roots));
    EXPECT_EQ(model.marks(), model.serially_reachable(roots));
  }
}

class ThrowingModel : public VectorModel {
 public:
  using VectorModel::VectorModel;

  template <typename Sink>
  void visit(Node, Sink&) const {
    throw std::runtime_error("a visit that throws");
  }
};

TEST(EmbeddingDeathTest, AVisitThatThrowsEndsTheProcess) {
  ThrowingModel model(star_graph(10));
  Marker<ThrowingModel> marker(MarkerOptions{});
  EXPECT_DEATH(marker.mark(model, std::vector<Node>{0}), "");
}

// Optional members that nearly fit.
struct AlmostBiasedModel : VectorModel {
  std::atomic<std::uint64_t>& bias_word_of(Node);
};
struct AlmostPlacedModel : VectorModel {
  int node_of(Node) const { return 0; }
};
struct AlmostSlicingModel : VectorModel {
  int is_slice(Node) const { return 0; }
};
struct AlmostFollowingModel : VectorModel {
  void prefetch_following(Node) {}
};
struct AlmostCandidateModel : VectorModel {
  using Candidate = Node;
};
static_assert(!kBiasWordFits<AlmostBiasedModel>);
static_assert(!kNodeFits<AlmostPlacedModel> && !kSliceFits<AlmostSlicingModel>);
static_assert(jackdaw::FollowingObjectModel<FollowingModel> && !kFollowingFits<AlmostFollowingModel>);
static_assert(!kCandidatesFit<AlmostCandidateModel>);

}  // namespace
}  // namespace jackdaw::mark
