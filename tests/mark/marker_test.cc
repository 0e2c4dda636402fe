// The marking engine over an object model that is not Jackdaw's heap: nodes in a vector, marks in a vector.
#include "mark/marker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "mark/mark_distance.h"
#include "mark/object_model.h"
#include "mark/slices.h"
#include "tests/mark/vector_model.h"
#include "tests/scaled.h"

namespace jackdaw::mark {
namespace {

// A VectorModel divided into regions of a few nodes that workers bias.
class BiasedVectorModel : public VectorModel {
 public:
  explicit BiasedVectorModel(std::vector<std::vector<Node>> edges)
      : VectorModel(std::move(edges)), bias_words_(marks().size() / kRegionNodes + 1) {}

  BiasWord& bias_word_of(Reference node) { return bias_words_[node / kRegionNodes]; }

  void clear_marks() {
    VectorModel::clear_marks();
    for (BiasWord& word : bias_words_) word.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr Node kRegionNodes = 100;

  std::vector<BiasWord> bias_words_;
};

static_assert(BiasedObjectModel<BiasedVectorModel>);

// A VectorModel whose marks take as long to come as from another core.
class DistantVectorModel : public VectorModel {
 public:
  using VectorModel::VectorModel;

  // Only near marks are looked at: for a sample.
  bool is_marked(Reference node) const {
    if (std::exchange(was_far_, false)) came_back_.fetch_add(1, std::memory_order_relaxed);
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < 10 * MarkDistance::kFar) continue;
    return VectorModel::is_marked(node);
  }
  // Only far marks are asked for.
  void prefetch_mark(Reference) {
    was_far_ = true;
    asked_for_.fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t asked_for() const { return asked_for_.load(std::memory_order_relaxed); }
  // How often a worker took marks for near after it had taken them for far.
  std::uint64_t came_back() const { return came_back_.load(std::memory_order_relaxed); }

 private:
  static thread_local bool was_far_;

  std::atomic<std::uint64_t> asked_for_{0};
  mutable std::atomic<std::uint64_t> came_back_{0};
};

thread_local bool DistantVectorModel::was_far_ = false;

// At least this number of visits come before a worker takes marks to be far.
constexpr Node kVisitsUntilJudged =
    MarkDistance::kSamples * MarkDistance::kPollsASample * kVisitsBetweenPolls;

// A VectorModel in which nodes without edges are leaves.
class LeafVectorModel : public VectorModel {
 public:
  explicit LeafVectorModel(std::vector<std::vector<Node>> edges)
      : VectorModel(edges), edges_(std::move(edges)) {}

  [[nodiscard]] bool is_leaf(Reference node) const { return edges_[node].empty(); }
  MarkOutcome<Task> mark(Reference node, Sharing sharing) {
    const MarkOutcome<Task> outcome = VectorModel::mark(node, sharing);
    return outcome.is_newly_marked() && is_leaf(node) ? MarkOutcome<Task>::leaf() : outcome;
  }

 private:
  std::vector<std::vector<Node>> edges_;
};

template <typename Model>
void expect_marks_like_serial(Model& model, const std::vector<Node>& roots, const MarkerOptions& options,
                              int rounds) {
  const std::vector<bool> expected = model.serially_reachable(roots);
  Marker<Model> marker(options);
  for (int round = 0; round < rounds; ++round) {
    model.clear_marks();
    ASSERT_TRUE(marker.mark(model, roots));
    ASSERT_EQ(model.marks(), expected);
    const WorkerStatistics sum = total(marker.statistics());
    const auto objects = static_cast<std::uint64_t>(std::count(expected.begin(), expected.end(), true));
    EXPECT_EQ(sum.objects_marked, objects);
    EXPECT_EQ(sum.tasks_executed, objects);
    EXPECT_EQ(sum.references_visited, model.edges_of(expected));
    // A stolen task is pushed once more.
    EXPECT_EQ(sum.pushes + sum.direct, objects + sum.tasks_stolen);
    EXPECT_EQ(sum.pops + sum.direct, objects);
    EXPECT_EQ(sum.steal_attempts, sum.steals + sum.steals_empty + sum.steals_contended);
  }
}

// With all workers from the start, and with one that calls the others.
template <typename Model = VectorModel>
void expect_marks_like_serial(std::vector<std::vector<Node>> edges, const std::vector<Node>& roots,
                              MarkerOptions options, int rounds) {
  Model model(std::move(edges));
  for (const std::uint64_t alone : {0U, 100U}) {
    options.tuning.serial_references = alone;
    expect_marks_like_serial(model, roots, options, rounds);
  }
}

struct Shape {
  std::uint32_t threads;
  std::size_t blocks;
  std::size_t block_size;
};

class MarkerShapes : public testing::TestWithParam<Shape> {
 protected:
  MarkerOptions options() const {
    MarkerOptions options;
    options.threads = GetParam().threads;
    options.tuning.blocks = GetParam().blocks;
    options.tuning.block_size = GetParam().block_size;
    return options;
  }
};

TEST_P(MarkerShapes, MarksRandomGraphsLikeASerialTraversal) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto nodes = static_cast<Node>(scaled(20000));
    const std::vector<Node> roots{0, 1, 1, nodes - 1};
    const auto most_edges = static_cast<std::uint32_t>(seed % 5 + 1);
    expect_marks_like_serial(random_graph(nodes, most_edges, seed), roots, options(), 3);
  }
}

// Neighbours in number are neighbours in the graph, so that biases last; a few far edges make workers meet.
std::vector<std::vector<Node>> local_graph(Node nodes, std::uint64_t seed) {
  RandomNumbers random(seed);
  std::vector<std::vector<Node>> edges(nodes);
  for (Node node = 0; node < nodes; ++node) {
    edges[node].push_back((node + 1) % nodes);
    edges[node].push_back((node + random.below(50)) % nodes);
    if (random.below(20) == 0) edges[node].push_back(random.below(nodes));
  }
  return edges;
}

TEST_P(MarkerShapes, MarksBiasedRegionsLikeASerialTraversal) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto nodes = static_cast<Node>(scaled(20000));
    expect_marks_like_serial<BiasedVectorModel>(local_graph(nodes, seed), {0, nodes / 2}, options(), 3);
    expect_marks_like_serial<BiasedVectorModel>(random_graph(nodes, 5, seed), {0, 1}, options(), 2);
  }
}

TEST_P(MarkerShapes, MarksListsAndStars) {
  expect_marks_like_serial(list_graph(5000), {0}, options(), 3);
  expect_marks_like_serial(star_graph(5000), {0}, options(), 3);
}

TEST_P(MarkerShapes, EndsThousandsOfTinyRounds) {
  expect_marks_like_serial(list_graph(10), {0}, options(), static_cast<int>(scaled(1000)));
  expect_marks_like_serial(list_graph(1), {}, options(), static_cast<int>(scaled(500)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, MarkerShapes,
                         testing::Values(Shape{1, 8, 1024}, Shape{1, 2, 2}, Shape{2, 8, 1024}, Shape{2, 2, 2},
                                         Shape{3, 3, 1}, Shape{8, 2, 2}, Shape{8, 8, 64}),
                         [](const testing::TestParamInfo<Shape>& info) {
                           return std::to_string(info.param.threads) + "threads" +
                                  std::to_string(info.param.blocks) + "blocks" +
                                  std::to_string(info.param.block_size) + "entries";
                         });

TEST(Marker, OverflowsAQueueOfFourWithAMillionNodesAndLosesNothing) {
  MarkerOptions options;
  options.threads = 4;
  options.tuning.blocks = 2;
  options.tuning.block_size = 2;
  expect_marks_like_serial(star_graph(static_cast<Node>(scaled(1000000))), {0}, options, 2);
}

TEST(Marker, AsksForMarksThatAreFarAndMarksTheSame) {
  for (const std::uint32_t threads : {1U, 2U}) {
    MarkerOptions options;
    options.threads = threads;
    options.tuning.serial_references = 0;
    // Each worker is to make enough visits.
    DistantVectorModel distant(random_graph(threads * 8 * kVisitsUntilJudged, 6, 5));
    expect_marks_like_serial(distant, {0, 1, 2}, options, 3);
    EXPECT_GT(distant.asked_for(), 0U) << threads;
  }
}

// References that wait for their mark's memory when others are called are not forgotten.
TEST(Marker, CallsOthersWhileMarksAreAskedFor) {
  MarkerOptions options;
  options.threads = 2;
  options.tuning.serial_references = 8 * kVisitsUntilJudged;
  DistantVectorModel distant(random_graph(8 * kVisitsUntilJudged, 6, 5));
  expect_marks_like_serial(distant, {0, 1, 2}, options, 3);
  EXPECT_GT(distant.asked_for(), 0U);
}

// The round is long enough for a worker to take the marks to be near once more.
TEST(Marker, ChangesItsWayOfMarkingBackAndForth) {
  for (const std::uint32_t threads : {1U, 2U}) {
    if (kSanitized && threads == 1) continue;
    MarkerOptions options;
    options.threads = threads;
    options.tuning.serial_references = 0;
    const Node nodes = 3 * MarkDistance::kLooksFar * MarkDistance::kPollsALook * kVisitsBetweenPolls;
    DistantVectorModel distant(random_graph(nodes, 4, 6));
    expect_marks_like_serial(distant, {0, 1, 2}, options, 1);
    EXPECT_GT(distant.asked_for(), 0U);
    EXPECT_GT(distant.came_back(), 0U) << "one of two workers visits more than are far at a time";
  }
}

TEST(Marker, MarksAreNotAskedForUntilTheyAreJudged) {
  MarkerOptions options;
  options.threads = 1;
  DistantVectorModel distant(random_graph(kVisitsUntilJudged / 2, 6, 5));
  expect_marks_like_serial(distant, {0}, options, 1);
  EXPECT_EQ(distant.asked_for(), 0U);
}

TEST(Marker, MarksLeavesWithoutVisitingThem) {
  LeafVectorModel model(random_graph(20000, 3, 8));
  const std::vector<bool> expected = model.serially_reachable({0, 1});
  std::uint64_t objects = 0;
  std::uint64_t leaves = 0;
  for (Node node = 0; node < expected.size(); ++node) {
    objects += expected[node] ? 1 : 0;
    leaves += expected[node] && model.is_leaf(node) ? 1 : 0;
  }
  ASSERT_GT(leaves, 1000U);
  for (const std::uint32_t threads : {1U, 3U}) {
    MarkerOptions options;
    options.threads = threads;
    options.tuning.serial_references = 0;
    Marker<LeafVectorModel> marker(options);
    model.clear_marks();
    ASSERT_TRUE(marker.mark(model, std::vector<Node>{0, 1}));
    EXPECT_EQ(model.marks(), expected);
    const WorkerStatistics sum = total(marker.statistics());
    EXPECT_EQ(sum.objects_marked, objects);
    EXPECT_EQ(sum.tasks_executed, objects - leaves);
    EXPECT_EQ(sum.references_visited, model.edges_of(expected));
  }
}

TEST(Marker, CountsWhomItsWorkersStoleFrom) {
  MarkerOptions options;
  options.threads = 3;
  options.tuning.serial_references = 0;
  VectorModel model(random_graph(static_cast<Node>(scaled(20000)), 4, 5));
  Marker<VectorModel> marker(options);
  std::vector<std::uint64_t> steals(options.threads);
  for (int round = 0; round < 5; ++round) {
    model.clear_marks();
    ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
    for (std::uint32_t thief = 0; thief < options.threads; ++thief) {
      steals[thief] += marker.statistics()[thief].steals;
      const std::span<const std::uint32_t> by_victim = marker.steals_by_victim(thief);
      ASSERT_EQ(by_victim.size(), options.threads);
      EXPECT_EQ(by_victim[thief], 0U) << "a worker does not steal from itself";
      EXPECT_EQ(std::accumulate(by_victim.begin(), by_victim.end(), std::uint64_t{0}), steals[thief]);
    }
  }
}

// One visit makes all tasks but one: each stays in the queue, is stolen from it, or overflows. The last few
// wait in buffers and come when there is room.
TEST(Marker, CountsWhatOverflows) {
  constexpr Node kNodes = 100000;
  constexpr Node kBuffered = kPrefetchDepth + kRefilledTasks;
  MarkerOptions options;
  options.tuning.blocks = 2;
  options.tuning.block_size = 2;
  for (const std::uint32_t threads : {1U, 4U}) {
    options.threads = threads;
    VectorModel model(star_graph(kNodes));
    Marker<VectorModel> marker(options);
    ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
    const WorkerStatistics sum = total(marker.statistics());
    EXPECT_GE(sum.overflow_pushes + sum.tasks_stolen, kNodes - 1 - kBuffered);
    EXPECT_LE(sum.overflow_peak, sum.overflow_pushes);
    EXPECT_TRUE(threads > 1 || sum.overflow_peak == sum.overflow_pushes);
  }
}

TEST(Marker, SharesManyRootsAmongItsWorkers) {
  std::vector<Node> roots(static_cast<std::size_t>(scaled(100000)));
  std::iota(roots.begin(), roots.end(), 0);
  MarkerOptions options;
  options.threads = 3;
  expect_marks_like_serial(std::vector<std::vector<Node>>(roots.size()), roots, options, 5);
}

TEST(Marker, SaysWhenItDroppedTasksAndGoesOnFromRescans) {
  const Node nodes = 3000;
  VectorModel model(random_graph(nodes, 4, 99));
  const std::vector<Node> roots{0};
  MarkerOptions options;
  options.threads = 2;
  options.tuning.blocks = 2;
  options.tuning.block_size = 2;
  options.overflow_limit = 1;
  Marker<VectorModel> marker(options);
  bool complete = marker.mark(model, roots);
  EXPECT_FALSE(complete) << "four queue entries and one overflowed task cannot do";
  for (int pass = 0; !complete && pass < 10000; ++pass) {
    const std::vector<bool> marks = model.marks();
    complete = true;
    for (Node node = 0; node < nodes; ++node) {
      if (marks[node]) complete = marker.mark(model, {}, std::vector<Node>{node}) && complete;
    }
  }
  EXPECT_TRUE(complete);
  EXPECT_EQ(model.marks(), model.serially_reachable(roots));
}

TEST(Marker, RefusesNumbersOfThreadsOutOfRange) {
  MarkerOptions options;
  options.threads = 0;
  EXPECT_THROW(Marker<VectorModel>{options}, std::invalid_argument);
  options.threads = BiasedRegions::kMaximumWorkers + 1;
  EXPECT_THROW(Marker<VectorModel>{options}, std::invalid_argument);
}

TEST(Marker, ReportsTheMemoryThatOverflowTook) {
  MarkerOptions options;
  options.tuning.blocks = 2;
  options.tuning.block_size = 2;
  Marker<VectorModel> marker(options);
  const std::size_t before = marker.memory_bytes();
  VectorModel model(star_graph(100000));
  ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
  EXPECT_GE(marker.memory_bytes(), before + 99000 * sizeof(Node));
}

TEST(Marker, MarksTheSameWithFullGrantsAndWithBatches) {
  MarkerOptions options;
  options.threads = 4;
  options.tuning.blocks = 8;
  options.tuning.block_size = 4;
  for (const Grant grant : {Grant::early, Grant::full}) {
    for (const std::size_t batch : {std::size_t{1}, std::size_t{3}, std::size_t{100}}) {
      options.tuning.grant = grant;
      options.tuning.steal_batch = batch;
      const auto nodes = static_cast<Node>(scaled(20000));
      expect_marks_like_serial(random_graph(nodes, 4, batch), {0, 1}, options, 3);
      expect_marks_like_serial(star_graph(nodes), {0}, options, 3);
    }
  }
}

TEST(Marker, CountsNoRemoteStealsOnOneNodeAndNoLocalOnesWhenEachWorkerHasItsOwn) {
  VectorModel model(star_graph(static_cast<Node>(scaled(100000))));
  MarkerOptions options;
  options.threads = 4;
  options.tuning.block_size = 16;
  for (const bool apart : {false, true}) {
    options.nodes = apart ? std::vector<std::uint32_t>{0, 1, 2, 3} : std::vector<std::uint32_t>{2, 2, 2, 2};
    Marker<VectorModel> marker(options);
    model.clear_marks();
    ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
    const WorkerStatistics sum = total(marker.statistics());
    EXPECT_EQ(sum.steals_remote(), apart ? sum.steals : 0);
  }
}

TEST(Marker, MarksALittleHeapWithTheFirstWorkerAlone) {
  const std::vector<Node> roots{0};
  MarkerOptions options;
  options.threads = 4;
  Marker<VectorModel> marker(options);
  VectorModel large(star_graph(static_cast<Node>(scaled(100000))));
  VectorModel small(random_graph(1000, 4, 5));
  for (int round = 0; round < 20; ++round) {
    large.clear_marks();
    ASSERT_TRUE(marker.mark(large, roots));  // in which the others may count something
    small.clear_marks();
    ASSERT_TRUE(marker.mark(small, roots));
    EXPECT_EQ(marker.statistics()[0].objects_marked, total(marker.statistics()).objects_marked);
    for (std::uint32_t worker = 1; worker < options.threads; ++worker) {
      EXPECT_EQ(marker.statistics()[worker].steal_attempts, 0U);
      EXPECT_EQ(marker.statistics()[worker].victims_refused, 0U);
    }
  }
}

TEST(Marker, MarksANarrowHeapWithTheFirstWorkerAlone) {
  VectorModel model(list_graph(100000));
  MarkerOptions options;
  options.threads = 4;
  Marker<VectorModel> marker(options);
  ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
  EXPECT_EQ(marker.statistics()[0].objects_marked, 100000U);
}

TEST(Marker, MarksASmallHeapAloneFirstOnceItKnowsThatItIsSmall) {
  constexpr Node kNodes = 5000;
  VectorModel model(star_graph(kNodes));
  MarkerOptions options;
  options.threads = 4;
  options.tuning.serial_references = 100;
  options.tuning.small_round_references = kNodes;
  Marker<VectorModel> marker(options);
  for (int round = 0; round < 2; ++round) {
    model.clear_marks();
    ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
    EXPECT_EQ(total(marker.statistics()).objects_marked, kNodes);
  }
  EXPECT_EQ(marker.statistics()[0].objects_marked, kNodes);
}

// Counts the marks of a worker that is alone. With a team each mark takes `steps_of_shared_mark` steps more.
class ModelOfMarksAlone : public VectorModel {
 public:
  explicit ModelOfMarksAlone(std::vector<std::vector<Node>> edges, int steps_of_shared_mark = 0)
      : VectorModel(std::move(edges)), steps_of_shared_mark_(steps_of_shared_mark) {}

  MarkOutcome<Task> mark(Reference node, Sharing sharing) {
    if (sharing == Sharing::exclusive) {
      ++marks_alone_;
    } else {
      for (int i = 0; i < steps_of_shared_mark_; ++i) asm volatile("" : : : "memory");
    }
    return VectorModel::mark(node, sharing);
  }
  std::uint64_t take_marks_alone() { return std::exchange(marks_alone_, 0); }

 private:
  const int steps_of_shared_mark_;
  std::uint64_t marks_alone_ = 0;
};

TEST(Marker, FurtherRoundsDoNotMakeALargeHeapSmall) {
  constexpr Node kNodes = 50000;
  std::vector<std::vector<Node>> graph = random_graph(kNodes, 8, 7);
  graph.push_back({kNodes + 1});  // which nothing else leads to
  graph.emplace_back();
  ModelOfMarksAlone model(std::move(graph));
  MarkerOptions options;
  options.threads = 2;
  options.processors = 1;  // so that no helper begins with the first worker
  options.tuning.serial_references = 1000;
  options.tuning.small_round_references = 100000;
  Marker<ModelOfMarksAlone> marker(options);
  const auto marks_alone = [&](std::vector<Node> roots) {
    EXPECT_TRUE(marker.mark(model, roots));
    return model.take_marks_alone();
  };
  const auto begin_marking = [&] {
    marker.wake_helpers();
    model.clear_marks();
  };
  begin_marking();
  const std::uint64_t of_large_heap = marks_alone({0});
  EXPECT_EQ(marks_alone({kNodes}), 2U);
  begin_marking();
  EXPECT_EQ(marks_alone({0}), of_large_heap);
  begin_marking();
  EXPECT_EQ(marks_alone({kNodes}), 2U) << "no more is left of the heap";
  begin_marking();
  EXPECT_GT(marks_alone({0}), of_large_heap);
}

// This holds for further rounds that are no larger than the first.
TEST(Marker, FurtherRoundsAreMadeAloneWhereTheFirstWas) {
  constexpr Node kNodes = 5000;
  std::vector<std::vector<Node>> graph = random_graph(kNodes, 8, 7);
  for (std::vector<Node>& references : random_graph(kNodes / 2, 8, 8)) {
    for (Node& reference : references) reference += kNodes;
    graph.push_back(std::move(references));
  }
  // A team takes many times as long as one worker, also under a sanitizer.
  ModelOfMarksAlone model(std::move(graph), 5000);
  // Each reference counts, and the root.
  const std::uint64_t of_first = 1 + model.edges_of(model.serially_reachable({0}));
  const std::uint64_t of_further = 1 + model.edges_of(model.serially_reachable({kNodes}));
  MarkerOptions options;
  options.threads = 2;
  options.processors = 1;  // so that no helper begins with the first worker
  options.tuning.serial_references = 1000;
  options.tuning.small_round_references = 1000000;
  Marker<ModelOfMarksAlone> marker(options);
  const auto marks_alone = [&](Node root) {
    EXPECT_TRUE(marker.mark(model, std::vector<Node>{root}));
    return model.take_marks_alone();
  };
  // Which way a marking goes depends on the time that it and earlier ones took.
  int markings_alone = 0;
  for (int i = 0; i < 20; ++i) {
    marker.wake_helpers();
    model.clear_marks();
    const bool is_first_alone = marks_alone(0) == of_first;
    const bool is_further_alone = marks_alone(kNodes) == of_further;
    if (is_first_alone && is_further_alone) ++markings_alone;
  }
  EXPECT_GT(markings_alone, 0);
}

TEST(Marker, HasNoMoreWorkersThanProcessorsUnlessAllAreToBegin) {
  for (const std::uint32_t told : {0U, 3U}) {
    const std::uint32_t processors = told != 0 ? told : std::max(2U, std::thread::hardware_concurrency());
    VectorModel model(star_graph(static_cast<Node>(scaled(200000))));
    MarkerOptions options;
    options.threads = processors + 2;
    options.processors = told;
    Marker<VectorModel> marker(options);
    ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
    EXPECT_EQ(marker.worker_count(), processors + 2);
    for (std::uint32_t worker = processors; worker < processors + 2; ++worker) {
      const WorkerStatistics& statistics = marker.statistics()[worker];
      EXPECT_EQ(statistics.tasks_executed, 0U);
      EXPECT_EQ(statistics.victims_refused + statistics.steal_attempts, 0U);
    }
  }
}

// The first worker stays at its visits until another one has come.
class ModelThatWaitsForHelp : public VectorModel {
 public:
  using VectorModel::VectorModel;

  template <typename Sink>
  void visit(Task task, Sink& sink) {
    VectorModel::visit(task, sink);
    if (std::this_thread::get_id() != first_) {
      visits_of_others_.fetch_add(1);
    } else if (++visits_of_first_ > visits_before_) {
      while (visits_of_others() < wanted_ && std::chrono::steady_clock::now() < deadline_) {
        std::this_thread::yield();
      }
    }
  }
  // Clears the marks. After `visits` visits the first worker will wait for others to have made as many.
  void start(std::uint64_t visits_before, std::uint64_t wanted) {
    clear_marks();
    visits_before_ = visits_before;
    wanted_ = wanted;
    visits_of_first_ = 0;
    visits_of_others_.store(0);
    deadline_ = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  }
  std::uint64_t visits_of_others() const { return visits_of_others_.load(); }

 private:
  const std::thread::id first_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point deadline_;
  std::uint64_t visits_before_ = 0;
  std::uint64_t wanted_ = 0;
  std::uint64_t visits_of_first_ = 0;
  std::atomic<std::uint64_t> visits_of_others_{0};
};

TEST(Marker, CallsOthersWhenThereIsWorkForThem) {
  MarkerOptions options;
  options.threads = 3;
  ModelThatWaitsForHelp model(star_graph(100000));
  Marker<ModelThatWaitsForHelp> marker(options);
  model.start(20000, 1);
  ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
  EXPECT_GT(model.visits_of_others(), 0U);
  EXPECT_EQ(total(marker.statistics()).objects_marked, 100000U);
}

// A machine that is busy may keep a worker from coming, though hardly so often.
constexpr int kManyTries = 200;

// One object with many references to objects that have none, cut into parts, with which the first worker
// takes its time until another one has visited one.
class CutObjectModel {
 public:
  static constexpr Node kReferences = 1 << 20;
  using Reference = Node;
  using Task = std::uint32_t;  // a node of the slice tree

  MarkOutcome<Task> mark(Reference object, Sharing) {
    if (marks_[object].exchange(1, std::memory_order_relaxed) != 0) return {};
    return object == 0 ? MarkOutcome<Task>(Slices::kWhole) : MarkOutcome<Task>::leaf();
  }
  bool is_marked(Reference object) const { return marks_[object].load(std::memory_order_relaxed) != 0; }
  void prefetch_mark(Reference) const {}
  void prefetch(Task) const {}
  bool is_slice(Task) const { return true; }
  template <typename Sink>
  void visit(Task part, Sink& sink) {
    const Slices slices(kReferences);
    for (; !slices.is_slice(part); part = Slices::kept_half(part)) sink.task(Slices::waiting_half(part));
    const Slices::Range range = slices.range_of(part);
    for (std::uint64_t i = range.begin; i < range.end; ++i) sink.reference(static_cast<Node>(i + 1));
    if (std::this_thread::get_id() != first_) {
      parts_of_others_.fetch_add(1);
    } else if (parts_of_others() == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
  std::uint64_t parts_of_others() const { return parts_of_others_.load(); }
  void clear_marks() {
    for (std::atomic<std::uint8_t>& mark : marks_) mark.store(0, std::memory_order_relaxed);
  }

 private:
  const std::thread::id first_ = std::this_thread::get_id();
  std::vector<std::atomic<std::uint8_t>> marks_ = std::vector<std::atomic<std::uint8_t>>(kReferences + 1);
  std::atomic<std::uint64_t> parts_of_others_{0};
};

// On a busy machine the other one may get a processor only after all is marked.
TEST(Marker, CallsOthersForPartsOfOneObject) {
  MarkerOptions options;
  options.threads = 2;
  CutObjectModel model;
  Marker<CutObjectModel> marker(options);
  for (int i = 0; i < kManyTries && model.parts_of_others() == 0; ++i) {
    model.clear_marks();
    ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
    EXPECT_EQ(total(marker.statistics()).objects_marked, CutObjectModel::kReferences + 1U);
  }
  EXPECT_GT(model.parts_of_others(), 0U);
}

// A helper that had a part in a marking begins with the first round of the next, which is so small that the
// first worker would not have called it; but not with the one after that.
TEST(Marker, WakesTheHelpersThatWereUseful) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor";
  MarkerOptions options;
  options.threads = 2;
  options.tuning.small_round_references = 50000;
  options.tuning.blocks = 64;
  options.tuning.block_size =
      16;  // so that a thief finds whole blocks, whether or not the first worker waits
  Marker<ModelThatWaitsForHelp> marker(options);
  ModelThatWaitsForHelp large(random_graph(50000, 8, 7));
  ModelThatWaitsForHelp small(star_graph(1000));
  const auto mark = [&](ModelThatWaitsForHelp& model, std::uint64_t visits_before, std::uint64_t wanted) {
    marker.wake_helpers();
    model.start(visits_before, wanted);
    ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
    EXPECT_EQ(model.marks(), model.serially_reachable({0}));
    EXPECT_GE(model.visits_of_others(), wanted);
  };
  // Not often: after two large ones it tries to mark alone.
  mark(large, 15000, 5000);
  mark(small, 20, 1);
  mark(small, 0, 0);
  EXPECT_EQ(small.visits_of_others(), 0U) << "woken for a little";
  mark(large, 15000, 5000);
}

// Parts are shared once helpers are awake, and each is done once.
TEST(Marker, SharesWhatIsToBeDoneBeforeMarking) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor";
  constexpr std::uint32_t kParts = 2000;
  MarkerOptions options;
  options.threads = 2;
  options.tuning.small_round_references = 50000;
  options.tuning.blocks = 64;
  options.tuning.block_size = 16;
  Marker<ModelThatWaitsForHelp> marker(options);
  const std::thread::id first = std::this_thread::get_id();
  std::vector<int> times(kParts);
  std::atomic<int> by_others{0};
  const auto part = [&](std::uint32_t i) {
    ++times[i];
    if (std::this_thread::get_id() != first) {
      by_others.fetch_add(1);
    } else if (by_others.load() == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  };
  marker.share(part, 10);
  EXPECT_EQ(by_others.load(), 0) << "nobody is awake";
  marker.share(part, 0);
  ModelThatWaitsForHelp model(random_graph(50000, 8, 7));
  model.start(15000, 5000);
  ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
  int tries = 0;
  for (; tries < kManyTries && by_others.load() == 0; ++tries) {
    marker.wake_helpers();
    marker.share(part, kParts);
  }
  EXPECT_GT(by_others.load(), 0);
  for (std::uint32_t i = 0; i < kParts; ++i) ASSERT_EQ(times[i], i < 10 ? tries + 1 : tries) << i;
}

TEST(Marker, RefusesSettingsThatContradictEachOther) {
  MarkerOptions options;
  options.tuning.steal_batch = 0;
  EXPECT_THROW(Marker<VectorModel>{options}, std::invalid_argument);
  options = {};
  options.threads = 3;
  options.nodes = {0, 1};
  EXPECT_THROW(Marker<VectorModel>{options}, std::invalid_argument);
  options.nodes = {0, 1, 1};
  for (const std::size_t length : {1U, 2U, 3U, 5U}) {
    options.node_distances.assign(length, base::NodeDistance::kFar);
    EXPECT_THROW(Marker<VectorModel>{options}, std::invalid_argument) << length;
  }
  options.node_distances = {base::NodeDistance::kNear, base::NodeDistance::kNear - 1,
                            base::NodeDistance::kFar, base::NodeDistance::kNear};
  EXPECT_THROW(Marker<VectorModel>{options}, std::invalid_argument) << "nothing is nearer than oneself";
  options.node_distances.clear();
  EXPECT_NO_THROW(Marker<VectorModel>{options});
  options.nodes = {0, 1, 0xffffffffU};
  EXPECT_THROW(Marker<VectorModel>{options}, std::invalid_argument);
}

TEST(Marker, CountsRemoteVisitsWhenAsked) {
  for (const std::uint32_t home : {0U, 1U}) {
    for (const bool asked : {true, false}) {
      MarkerOptions options;
      options.nodes = {home};
      options.tuning.count_visits = asked;
      VectorModel model(list_graph(1001));
      Marker<VectorModel> marker(options);
      ASSERT_TRUE(marker.mark(model, std::vector<Node>{0}));
      EXPECT_EQ(total(marker.statistics()).visits_remote, asked ? 500 + home : 0U);
    }
  }
}

// Every worker is made by its own thread there.
TEST(Marker, MarksAndFailsOnSeveralNodesAsOnOne) {
  MarkerOptions options;
  options.threads = 4;
  options.tuning.serial_references = 0;
  options.nodes = {0, 0, 1, 1};
  options.node_distances = {10, 21, 21, 10};
  VectorModel model(random_graph(20000, 4, 7));
  Marker<VectorModel> marker(options);
  for (int round = 0; round < 5; ++round) {
    model.clear_marks();
    EXPECT_TRUE(marker.mark(model, std::vector<Node>{0, 1}));
    EXPECT_EQ(model.marks(), model.serially_reachable({0, 1}));
  }
  options.tuning.blocks = 1;
  EXPECT_THROW(Marker<VectorModel>{options}, std::invalid_argument);
}

TEST(Marker, RefusesQueueSizesOutOfRange) {
  MarkerOptions options;
  options.tuning.blocks = 1;
  EXPECT_THROW(Marker<VectorModel>{options}, std::invalid_argument);
}

}  // namespace
}  // namespace jackdaw::mark
