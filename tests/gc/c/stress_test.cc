// JACKDAW_STRESS: collections come at random, as the seed says. Each program runs in a process of its own:
// the environment is read when the collector is made.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "gc/c/interface.h"
#include "tests/gc/process/concurrent/concurrent_program.h"

namespace jackdaw::c_interface {
namespace {

struct Cell {
  Cell* next;
  std::uintptr_t number;
};

// Lists of a hundred cells, of which one is kept at a time. Whether all that were kept were whole.
[[gnu::noinline]] bool make_lists(int count) {
  bool all_whole = true;
  for (int i = 0; i < count; ++i) {
    Cell* list = nullptr;
    for (std::uintptr_t number = 0; number < 100; ++number) {
      auto* const cell = static_cast<Cell*>(GC_malloc(sizeof(Cell)));
      *cell = {list, number};
      list = cell;
    }
    std::uintptr_t left = 100;
    for (; list != nullptr && list->number == left - 1; list = list->next) --left;
    all_whole = all_whole && left == 0;
  }
  return all_whole;
}

struct Outcome {
  GC_word collections = 0;
  bool is_well = false;
};

template <typename Program>
Outcome run_with(const char* seed, const char* concurrent, Program program) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    setenv("JACKDAW_STRESS", seed, 1);
    setenv("JACKDAW_CONCURRENT", concurrent, 1);
    setenv("JACKDAW_MARKERS", "1", 1);
    setenv("JACKDAW_VERIFY", "1", 1);
    setenv("JACKDAW_POISON", "1", 1);
    GC_init();
    Outcome outcome;
    outcome.is_well = program();
    outcome.collections = GC_get_gc_no();
    _exit(write(ends[1], &outcome, sizeof outcome) == sizeof outcome ? 0 : 1);
  }
  close(ends[1]);
  Outcome outcome;
  EXPECT_EQ(read(ends[0], &outcome, sizeof outcome), static_cast<ssize_t>(sizeof outcome));
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return outcome;
}

bool make_few_lists() { return make_lists(300); }

TEST(Stress, TheSeedSaysWhenCollectionsCome) {
  const Outcome first = run_with("1", "0", make_few_lists);
  const Outcome second = run_with("1", "0", make_few_lists);
  const Outcome other = run_with("2", "0", make_few_lists);
  const Outcome without = run_with("0", "0", make_few_lists);
  EXPECT_TRUE(first.is_well && second.is_well && other.is_well && without.is_well);
  EXPECT_EQ(without.collections, 0U) << "the program allocates too little for one";
  EXPECT_GT(first.collections, 0U);
  EXPECT_EQ(first.collections, second.collections);
  EXPECT_NE(first.collections, other.collections);
}

TEST(Stress, ProgramsOfManyThreadsGoOnBesideCycles) {
  if (!gc::tracks_writes()) GTEST_SKIP() << "the system does not tell what is written";
  const Outcome outcome = run_with("3", "1", [] {
    bool others_are_whole = false;
    std::thread other([&] { others_are_whole = make_lists(300); });
    const bool are_whole = make_lists(300);
    other.join();
    return are_whole && others_are_whole;
  });
  EXPECT_TRUE(outcome.is_well);
  EXPECT_GT(outcome.collections, 0U);
}

}  // namespace
}  // namespace jackdaw::c_interface
