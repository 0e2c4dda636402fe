// The experiments of `jackdaw queue`: no queue loses a task in any of them, what loses tasks is found out,
// and the thief's pace comes near to what is wanted.
#include "bench/queue/queue_experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/queue/queue_calibration.h"
#include "bench/queue/queue_report.h"
#include "bench/queue/queue_runners.h"
#include "bench/queue/queue_workload.h"
#include "bench/queues/sequential_lifo.h"
#include "mark/thread_pool.h"
#include "tools/command/input_error.h"

namespace jackdaw::bench {
namespace {

constexpr QueueShape kSmall{3, 5};

QueueLoad small_load() {
  QueueLoad load;
  load.shape = kSmall;
  load.time = std::chrono::microseconds(500);
  return load;
}

void expect_conserved(const QueueMeasurement& measurement) {
  const QueueCounts& counts = measurement.counts;
  EXPECT_TRUE(measurement.conserved);
  EXPECT_GT(counts.puts, 0U);
  EXPECT_EQ(counts.puts, counts.gets + counts.steals + counts.left);
  EXPECT_GT(measurement.wall.count(), 0);
  EXPECT_GT(measurement.ns_per_op(), 0);
}

std::string name_in_test(const testing::TestParamInfo<QueueRunner>& info) {
  std::string name(info.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
}

class EveryQueue : public testing::TestWithParam<QueueRunner> {};

TEST_P(EveryQueue, KeepsItsTasksWithoutThieves) {
  const QueueMeasurement measurement = GetParam().measure_alone(small_load());
  expect_conserved(measurement);
  EXPECT_EQ(measurement.counts.steals, 0U);
  EXPECT_EQ(measurement.counts.left, 0U) << "the owner gets until the queue is empty";
  EXPECT_EQ(measurement.threads, 1U);
}

TEST_P(EveryQueue, IsFoundByItsNameAndFitsTheDefaultShape) {
  EXPECT_EQ(find_queue_runner(GetParam().name)->measure_alone, GetParam().measure_alone);
  EXPECT_TRUE(GetParam().fits(QueueShape{}));
  EXPECT_FALSE(GetParam().fits(QueueShape{0, 5}));
}

INSTANTIATE_TEST_SUITE_P(Of, EveryQueue, testing::ValuesIn(queue_runners().begin(), queue_runners().end()),
                         name_in_test);

std::vector<QueueRunner> queues_for_thieves() {
  std::vector<QueueRunner> queues;
  std::ranges::copy_if(queue_runners(), std::back_inserter(queues), &QueueRunner::serves_thieves);
  return queues;
}

class EveryQueueForThieves : public testing::TestWithParam<QueueRunner> {};

TEST_P(EveryQueueForThieves, KeepsItsTasksWithAThief) {
  mark::ThreadPool threads(2);
  for (const std::size_t batch : {1U, 4U}) {
    for (const std::uint64_t gets : {1U, 7U, 15U}) {
      QueueLoad load = small_load();
      load.steal_batch = batch;
      load.pace = {gets, 60};
      const QueueMeasurement measurement = GetParam().measure_with_thief(threads, load);
      expect_conserved(measurement);
      EXPECT_EQ(measurement.threads, 2U);
    }
  }
}

TEST_P(EveryQueueForThieves, IsLeftAloneByAThiefThatIsToStealNothing) {
  mark::ThreadPool threads(2);
  QueueLoad load = small_load();
  load.pace.most_percent = 0;
  const QueueCounts counts = GetParam().measure_with_thief(threads, load).counts;
  EXPECT_EQ(counts.steals + counts.steals_empty + counts.steals_contended, 0U);
  EXPECT_EQ(counts.puts, counts.gets + counts.left);
}

TEST_P(EveryQueueForThieves, LosesNoMoreThanItsThiefsShare) {
  mark::ThreadPool threads(2);
  QueueLoad load = small_load();
  load.steal_batch = 4;
  load.pace = {7, 20};
  const QueueCounts counts = GetParam().measure_with_thief(threads, load).counts;
  EXPECT_LE(counts.steals, counts.gets / 4 + load.steal_batch);
}

TEST_P(EveryQueueForThieves, KeepsItsTasksInAPoolUnderEveryVictimPolicy) {
  mark::ThreadPool threads(3);
  for (const char* const victim : {"random", "random-prob", "numa", "last", "best-of-two"}) {
    for (const std::size_t batch : {1U, 4U}) {
      QueueLoad load = small_load();
      load.victim = victim;
      load.balancing_factor = 100;
      load.steal_batch = batch;
      const QueueMeasurement measurement = GetParam().measure_pool(threads, load);
      expect_conserved(measurement);
      EXPECT_EQ(measurement.threads, threads.size());
      EXPECT_EQ(measurement.counts.left, 0U) << "every owner gets until its queue is empty";
    }
  }
}

TEST_P(EveryQueueForThieves, IsNotStolenFromInAPoolThatDoesNotBalance) {
  mark::ThreadPool threads(2);
  QueueLoad load = small_load();
  load.victim = "random";
  const QueueCounts counts = GetParam().measure_pool(threads, load).counts;
  EXPECT_EQ(counts.steals + counts.steals_empty + counts.steals_contended, 0U);
}

INSTANTIATE_TEST_SUITE_P(Of, EveryQueueForThieves, testing::ValuesIn(queues_for_thieves()), name_in_test);

// Loses every thousandth task, and gives the one before it twice instead if it is to keep the count.
template <bool kKeepsCount>
class FaultyQueue : public SequentialLifo<QueueTask> {
 public:
  using SequentialLifo::SequentialLifo;

  bool push(QueueTask task) {
    if (++pushes_ % 1000 != 0) return SequentialLifo::push(task);
    return kKeepsCount ? SequentialLifo::push(task - 1) : true;
  }

 private:
  std::uint64_t pushes_ = 0;
};

TEST(FaultyQueue, IsFoundOut) {
  QueueLoad load = small_load();
  load.shape = {2, 1000};
  EXPECT_TRUE(measure_alone<SequentialLifo<QueueTask>>(load).conserved);
  EXPECT_FALSE(measure_alone<FaultyQueue<false>>(load).conserved) << "a task less";
  EXPECT_FALSE(measure_alone<FaultyQueue<true>>(load).conserved) << "a task twice and another not at all";
}

TEST(QueueCounts, StealPercentIsOfWhatWasTaken) {
  EXPECT_DOUBLE_EQ((QueueCounts{.puts = 10, .gets = 3, .steals = 1, .left = 6}.steal_percent()), 25);
  EXPECT_DOUBLE_EQ((QueueCounts{.puts = 5, .steals = 5}.steal_percent()), 100);
  EXPECT_DOUBLE_EQ((QueueCounts{.puts = 5, .gets = 5, .steals_empty = 9}.steal_percent()), 0);
  EXPECT_DOUBLE_EQ(QueueCounts{}.steal_percent(), 0);
}

TEST(QueueMeasurement, CountsOperationsThatMovedATask) {
  QueueMeasurement measurement;
  measurement.counts = {.puts = 10, .gets = 6, .steals = 4, .steals_empty = 100, .steals_contended = 100};
  measurement.wall = std::chrono::nanoseconds(40);
  EXPECT_DOUBLE_EQ(measurement.ns_per_op(), 2);
}

// A queue of 1000 tasks whose thief can steal `most` percent where the owner gets few enough of them.
class ModelQueue {
 public:
  explicit ModelQueue(double most, std::uint64_t most_gets = 1000) : most_(most), most_gets_(most_gets) {}

  double steal_percent(const ThiefPace& pace) {
    ++probes_;
    if (pace.gets_per_round > most_gets_) return 0;
    return std::min(most_, pace.most_percent);
  }
  ThiefPace calibrate(double wanted) {
    probes_ = 0;
    return calibrate_thief(wanted, 1000, [this](const ThiefPace& pace) { return steal_percent(pace); });
  }
  [[nodiscard]] int probes() const { return probes_; }

 private:
  double most_;
  std::uint64_t most_gets_;
  int probes_ = 0;
};

TEST(Calibration, LeavesTheThiefWhatIsWantedAndNoMore) {
  ModelQueue queue(60);
  for (const double wanted : {0.1, 1.0, 5.0, 10.0, 20.0, 50.0, 59.0}) {
    const ThiefPace pace = queue.calibrate(wanted);
    EXPECT_EQ(queue.probes(), 1) << wanted;
    EXPECT_EQ(pace.most_percent, wanted);
    EXPECT_EQ(pace.gets_per_round, std::llround((100 - wanted) * 10));
  }
}

TEST(Calibration, KeepsTheOwnersGetsWhereFewerDoNotHelp) {
  ModelQueue queue(15);
  EXPECT_EQ(queue.calibrate(20).gets_per_round, 800U);
  EXPECT_EQ(queue.calibrate(50).gets_per_round, 500U);
  EXPECT_LE(queue.probes(), kMostProbes);
}

TEST(Calibration, LeavesMoreToTheThiefUntilThatSuffices) {
  ModelQueue queue(60, 300);
  const ThiefPace pace = queue.calibrate(20);
  EXPECT_EQ(pace.gets_per_round, 200U) << "800, 400, 200";
  EXPECT_EQ(queue.steal_percent(pace), 20);
}

TEST(Calibration, OfAThiefThatIsToStealNothingNeedsNoProbe) {
  ModelQueue queue(60);
  EXPECT_EQ(queue.calibrate(0).most_percent, 0);
  EXPECT_EQ(queue.probes(), 0);
}

// An owner whose thief is as fast as can be: whenever it looks, it gets all that it asks for.
TEST(OwnerProgress, LeavesAThiefItsPercentage) {
  OwnerProgress progress;
  EXPECT_FALSE(progress.leaves_due(0, 20)) << "nothing was taken yet";
  progress.tell(800);
  EXPECT_TRUE(progress.leaves_due(0, 20));
  EXPECT_TRUE(progress.leaves_due(199, 20));
  EXPECT_FALSE(progress.leaves_due(200, 20));
  EXPECT_FALSE(progress.leaves_due(0, 0)) << "never";
  EXPECT_TRUE(progress.leaves_due(1'000'000, 100)) << "always";
}

// How near a thief comes to its percentage depends on when it runs. It exceeds it by its last steal at most.
TEST(QueueExperiment, AThiefKeepsToThePercentageThatIsAskedFor) {
  mark::ThreadPool threads(2);
  QueueLoad load;
  load.time = std::chrono::milliseconds(20);
  load.steal_batch = 64;
  for (const double wanted : {5.0, 10.0, 20.0}) {
    const double left_to_owner = (100 - wanted) / 100 * static_cast<double>(load.shape.capacity());
    load.pace = {static_cast<std::uint64_t>(left_to_owner), wanted};
    QueueCounts counts;
    for (int i = 0; i < 1000 && counts.steals == 0; ++i)
      counts = find_queue_runner("bwos-lifo")->measure_with_thief(threads, load).counts;
    EXPECT_GT(counts.steals, 0U) << wanted;
    EXPECT_LE(static_cast<double>(counts.steals),
              wanted / 100 * static_cast<double>(counts.gets + counts.steals) +
                  static_cast<double>(load.steal_batch))
        << wanted;
  }
}

TEST(QueueReport, KeepsItsColumnsWhereNumbersAreLarge) {
  QueueResult result;
  result.runs = {6641.9, 13283.8};
  result.ns_per_op = 6641.911;
  result.ratio_to_sequential = 10920.93;
  const std::string table = format_table({QueueExperimentOptions{}, {result}});
  EXPECT_NE(table.find(" 6641.911    0.2  10921    100.0\n"), std::string::npos) << table;
}

TEST(QueueReport, SaysWhichPercentageWasNotReached) {
  QueueReport report{QueueExperimentOptions{}, {QueueResult{}}};
  report.options.experiment = QueueExperiment::thief;
  QueueResult& result = report.results.front();
  result.runs = {1};
  result.steal_percent_wanted = 20;
  result.counts = {.puts = 100, .gets = 82, .steals = 18};
  EXPECT_EQ(format_table(report).find("NOT REACHED"), std::string::npos);
  result.counts = {.puts = 100, .gets = 83, .steals = 17};
  EXPECT_NE(format_table(report).find("NOT REACHED"), std::string::npos);
}

QueueExperimentOptions tiny(QueueExperiment experiment) {
  QueueExperimentOptions options;
  options.experiment = experiment;
  options.shape = kSmall;
  options.seconds = 0.0002;
  options.repeat = 3;
  return options;
}

TEST(QueueExperiment, MeasuresTheBoundsFirstAndRelatesToThem) {
  const QueueReport report = run_queue_experiment(tiny(QueueExperiment::single));
  EXPECT_EQ(report.results.size(), queue_runners().size()) << "every queue once";
  EXPECT_EQ(report.results[0].queue, "sequential-lifo");
  EXPECT_EQ(report.results[1].queue, "sequential-fifo");
  for (const QueueResult& result : report.results) {
    const bool is_fifo = find_queue_runner(result.queue)->is_fifo;
    EXPECT_DOUBLE_EQ(result.ratio_to_sequential, result.ns_per_op / report.results[is_fifo ? 1 : 0].ns_per_op)
        << result.queue;
    EXPECT_EQ(result.runs.size(), 3U);
    EXPECT_DOUBLE_EQ(result.ops_per_second() * result.ns_per_op, 1e9);
  }
  EXPECT_TRUE(report.differences().empty());
}

TEST(QueueExperiment, KnowsWhichQueuesAreFifo) {
  for (const char* const name : {"bwos-fifo", "sequential-fifo", "tbb-queue"})
    EXPECT_TRUE(find_queue_runner(name)->is_fifo) << name;
  for (const char* const name :
       {"bwos-lifo", "sequential-lifo", "abp", "chase-lev", "locked", "xenium-chase-lev"})
    EXPECT_FALSE(find_queue_runner(name)->is_fifo) << name;
}

TEST(QueueExperiment, SaysWhichQueueLostTasks) {
  QueueReport report{tiny(QueueExperiment::single), {QueueResult{}, QueueResult{}}};
  report.results[0].queue = "sieve";
  report.results[0].conserved = false;
  ASSERT_EQ(report.differences().size(), 1U);
  EXPECT_NE(report.differences()[0].find("sieve"), std::string::npos);
}

TEST(QueueExperiment, LeavesOutWhatCannotTakePartButRefusesItByName) {
  QueueExperimentOptions options = tiny(QueueExperiment::thief);
  options.percents = {50};
  EXPECT_EQ(run_queue_experiment(options).results.size(), 3 + queues_for_thieves().size());
  options.queues = {"sequential-lifo"};
  EXPECT_THROW(run_queue_experiment(options), tools::InputError);
  options.queues = {"no-such-queue"};
  EXPECT_THROW(run_queue_experiment(options), tools::InputError);
  options.queues = {"xenium-chase-lev"};
  options.shape = {9, 1024};
  EXPECT_THROW(run_queue_experiment(options), tools::InputError) << "it has room for 8192";
}

}  // namespace
}  // namespace jackdaw::bench
