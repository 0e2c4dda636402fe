// Advice from a log: each rule of docs/command.md, on either side of its limits.
#include "tools/log/advice.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/log/log_builder.h"

namespace jackdaw::tools {
namespace {

using Log = std::vector<gc::CollectionRecord>;

std::vector<std::string> settings_for(const Log& log, const ProgramMachine& machine = kMachine) {
  std::vector<std::string> settings;
  for (const Advice& advice : advise(summarise_processes(log).front(), machine))
    settings.push_back(advice.setting);
  return settings;
}

Log twelve_pauses_of(int ms) { return log_with_pauses(std::vector<int>(12, ms)); }

using Settings = std::vector<std::string>;

TEST(Advice, NeedsEnoughCollections) {
  EXPECT_EQ(settings_for(log_with_pauses(std::vector<int>(9, 9))), Settings{});
  EXPECT_EQ(settings_for(log_with_pauses(std::vector<int>(10, 9))), Settings{"JACKDAW_FREE_SPACE_DIVISOR=1"});
}

TEST(Advice, NeedsSomethingThatIsWrong) {
  EXPECT_EQ(settings_for(twelve_pauses_of(4), {8, true}), Settings{});
}

TEST(Advice, MoreMarkersWhereAllHadWorkAndThereAreMoreProcessors) {
  Log log = twelve_pauses_of(9);
  const Settings more = {"JACKDAW_MARKERS=6", "JACKDAW_FREE_SPACE_DIVISOR=1"};
  const Settings none = {"JACKDAW_FREE_SPACE_DIVISOR=1"};
  EXPECT_EQ(settings_for(log, {6, true}), more);
  EXPECT_EQ(settings_for(log, {4, true}), none);
  log[0].mark_threads = log[1].mark_threads = 3;
  EXPECT_EQ(settings_for(log, {6, true}), more) << "in 83 % of the time";
  log[2].mark_threads = 3;
  EXPECT_EQ(settings_for(log, {6, true}), none) << "in 75 % of the time";
  EXPECT_EQ(settings_for(twelve_pauses_of(9), {100, true})[0], "JACKDAW_MARKERS=64")
      << "as many as there may be";
}

TEST(Advice, MoreMarkersForLongPausesThatAreRare) {
  Log log = twelve_pauses_of(20);
  for (gc::CollectionRecord& collection : log) collection.at *= 100;
  EXPECT_EQ(settings_for(log, {6, false}), Settings{"JACKDAW_MARKERS=6"});
}

TEST(Advice, NoMoreMarkersForWhatOneThreadMarksAsFast) {
  Log log = twelve_pauses_of(10);
  for (gc::CollectionRecord& collection : log) {
    collection.pause /= 11;
    collection.at /= 10;
  }
  EXPECT_EQ(settings_for(log, {6, true}), Settings{"JACKDAW_FREE_SPACE_DIVISOR=1"});
}

TEST(Advice, ABiggerBudgetWhereTheBudgetIsWhyItCollects) {
  Log log = twelve_pauses_of(9);
  const Settings bigger = {"JACKDAW_FREE_SPACE_DIVISOR=1"};
  EXPECT_EQ(settings_for(log), bigger);
  log[0].reason = log[1].reason = gc::CollectionReason::request;
  EXPECT_EQ(settings_for(log), bigger) << "in 83 % of the time";
  log[2].reason = gc::CollectionReason::request;
  EXPECT_EQ(settings_for(log), Settings{}) << "in 75 % of the time";
}

TEST(Advice, FewerBytesAFinalizerWhereFinalizersAreWhyItCollects) {
  Log log = twelve_pauses_of(9);
  for (gc::CollectionRecord& collection : log) collection.reason = gc::CollectionReason::finalizers;
  const Settings fewer = {"JACKDAW_BYTES_PER_FINALIZER=1000"};
  EXPECT_EQ(settings_for(log), fewer);
  log[0].reason = log[1].reason = gc::CollectionReason::allocation;
  EXPECT_EQ(settings_for(log), fewer) << "in 83 % of the time";
  log[2].reason = gc::CollectionReason::allocation;
  EXPECT_EQ(settings_for(log), Settings{}) << "in 75 % of the time";
}

TEST(Advice, NoBiggerBudgetThanABigOne) {
  Log log = twelve_pauses_of(9);
  for (gc::CollectionRecord& collection : log) collection.used_bytes_before = std::uint64_t{200} << 20;
  EXPECT_EQ(settings_for(log), Settings{});
}

TEST(Advice, ALargerInitialHeapForASmallOne) {
  Log log = twelve_pauses_of(9);
  for (gc::CollectionRecord& collection : log) {
    collection.used_bytes_before = std::uint64_t{20} << 20;
    collection.live_bytes = std::uint64_t{1} << 20;
    collection.heap_bytes = std::uint64_t{20} << 20;
  }
  EXPECT_EQ(settings_for(log), Settings{"JACKDAW_INITIAL_HEAP_SIZE=128m"});
  for (gc::CollectionRecord& collection : log) collection.heap_bytes = std::uint64_t{64} << 20;
  EXPECT_EQ(settings_for(log), Settings{"JACKDAW_INITIAL_HEAP_SIZE=256m"});
  for (gc::CollectionRecord& collection : log) collection.heap_bytes = 0;
  EXPECT_EQ(settings_for(log), Settings{"JACKDAW_INITIAL_HEAP_SIZE=1m"});
  for (gc::CollectionRecord& collection : log) collection.at /= 2;
  EXPECT_EQ(settings_for(log), Settings{}) << "too short a time";
}

TEST(Advice, MarkingWhileTheProgramRunsForLongPauses) {
  Log log = twelve_pauses_of(1);
  log[3].pause = log[5].pause = std::chrono::milliseconds(10);
  EXPECT_EQ(settings_for(log), Settings{}) << "two alone may have waited for a processor";
  log[7].pause = std::chrono::milliseconds(40);
  for (gc::CollectionRecord& collection : log) collection.at *= 10;
  EXPECT_EQ(settings_for(log), Settings{"JACKDAW_CONCURRENT=1"});
  EXPECT_EQ(settings_for(log, {4, false}), Settings{}) << "nothing tells what the program writes";
  EXPECT_EQ(settings_for(log, {1, true}), Settings{}) << "the program runs on the only processor";
  Log requested = log;
  requested[7].reason = gc::CollectionReason::request;
  EXPECT_EQ(settings_for(requested), Settings{}) << "what the program asks for stops it";
  log[0].concurrent.emplace();
  EXPECT_EQ(settings_for(log), Settings{}) << "it does already";
}

std::string no_advice_for(const Log& log) {
  EXPECT_EQ(settings_for(log), Settings{});
  return why_no_advice(summarise_processes(log).front(), kMachine);
}

TEST(Advice, SaysWhyThereIsNone) {
  EXPECT_EQ(no_advice_for(log_with_pauses({50, 50})), "it needs 10 collections, and there are 2");
  EXPECT_EQ(no_advice_for(twelve_pauses_of(4)), "pauses take 4.0 % of the time, which leaves little to gain");
  Log log = twelve_pauses_of(50);
  for (gc::CollectionRecord& collection : log) collection.reason = gc::CollectionReason::request;
  EXPECT_EQ(no_advice_for(log),
            "pauses take 50.0 % of the time, 100 % of that because the program asks for them (GC_gcollect), "
            "which only the program can change; 4 of 4 processors mark, at most");
  log = twelve_pauses_of(9);
  for (gc::CollectionRecord& collection : log) collection.used_bytes_before = std::uint64_t{200} << 20;
  EXPECT_EQ(no_advice_for(log),
            "pauses take 9.0 % of the time, 100 % of that because the budget was used up, and it is "
            "large already: 100.0 MiB are allocated between collections and 100.0 MiB live, at the median; "
            "4 of 4 processors mark, at most");
}

TEST(Advice, NamesTheFigures) {
  const auto advice = advise(summarise_processes(twelve_pauses_of(20)).front(), {8, true});
  ASSERT_EQ(advice.size(), 3U);
  EXPECT_EQ(advice[0].reason,
            "every one of 4 mark threads had work in 100 % of the pauses' time; 8 can run at once");
  EXPECT_EQ(advice[1].reason,
            "pauses take 20.0 % of the time, 100 % of that because the budget was used up: 50.0 MiB are "
            "allocated between collections and 100.0 MiB live, at the median");
  EXPECT_EQ(advice[2].reason,
            "12 of 12 collections stopped the program for 10 ms or longer, at most 20.0 ms");
}

}  // namespace
}  // namespace jackdaw::tools
