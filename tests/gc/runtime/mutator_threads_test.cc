// Several threads of a program: they allocate, link and check their own structures while collections come and
// go.
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "gc/runtime/collector.h"
#include "gc/runtime/mutator.h"
#include "mark/random_numbers.h"
#include "tests/gc/runtime/program.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

using heap::Object;

CollectorOptions eager(std::uint32_t mark_threads) {
  CollectorOptions options;
  options.marking.engine.threads = mark_threads;
  options.minimum_budget_bytes = 512 << 10;
  return options;
}

// One thread's program: a table of lists, which are replaced and checked at random.
class Program {
 public:
  Program(Collector& collector, std::uint64_t seed) : mutator_(collector), random_(seed), key_(seed << 32) {
    table_ = mutator_.allocate_array(array_type(), kLists);
    EXPECT_NE(table_.get(), nullptr);
  }

  void run(std::size_t steps) {
    for (std::size_t step = 0; step < steps; ++step) {
      const std::uint32_t place = random_.below(kLists);
      check(place);
      rebuild(place);
      switch (random_.below(50)) {
        case 0:
          mutator_.safepoint();
          break;
        case 1: {
          const Mutator::Blocked blocked(mutator_);
          std::this_thread::yield();
          break;
        }
        case 2:
          EXPECT_NE(mutator_.allocate_array(array_type(), 10'000), nullptr);
          break;
        default:
          break;
      }
    }
    for (std::uint32_t place = 0; place < kLists; ++place) check(place);
  }

  Mutator& mutator() { return mutator_; }

 private:
  static constexpr std::uint32_t kLists = 64;

  void rebuild(std::uint32_t place) {
    lengths_[place] = random_.below(100);
    Handle list(mutator_);
    for (std::uint64_t i = 0; i < lengths_[place]; ++i)
      ASSERT_TRUE(prepend(mutator_, list, key_ + place + i));
    *table_->element(place) = list.get();
  }
  void check(std::uint32_t place) {
    ASSERT_TRUE(is_list_of(*table_->element(place), key_ + place, lengths_[place])) << "list " << place;
  }

  Mutator mutator_;
  Handle table_{mutator_};
  mark::RandomNumbers random_;
  std::uint64_t key_;
  std::vector<std::uint64_t> lengths_ = std::vector<std::uint64_t>(kLists, 0);
};

class MutatorThreads : public testing::TestWithParam<std::uint32_t> {
 protected:
  Collector collector_{eager(GetParam())};
};

TEST_P(MutatorThreads, EachFindsItsStructuresAsItLeftThem) {
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    threads.emplace_back([this, seed] { Program(collector_, seed).run(mark::scaled(8'000)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(collector_.collections(), 5U);
  EXPECT_EQ(collector_.collect().live_objects, 0U);
}

TEST_P(MutatorThreads, ComeAndGoWhileOthersCollect) {
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    threads.emplace_back([this, seed] {
      for (std::uint64_t life = 0; life < mark::scaled(200); ++life) {
        Program program(collector_, seed * 1000 + life);
        program.run(life % 40);
        if (life % 8 == 0) program.mutator().collect();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(collector_.collect().live_objects, 0U);
}

TEST_P(MutatorThreads, ThreadsWithoutAMutatorMayCollect) {
  constexpr std::size_t kThreads = 2;
  constexpr std::size_t kTimes = mark::scaled(500);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([this] {
      for (std::size_t collection = 0; collection < kTimes; ++collection) collector_.collect();
    });
  }
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    threads.emplace_back([this, seed] { Program(collector_, seed).run(mark::scaled(3'000)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(collector_.collections(), kThreads * kTimes);
}

TEST_P(MutatorThreads, AllMayAskForACollectionAtOnce) {
  constexpr int kThreads = 4;
  const std::size_t times = mark::scaled(200);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      Mutator mutator(collector_);
      const Handle root(mutator, mutator.allocate(Record::type()));
      Record::number(root.get()) = 7;
      for (std::size_t i = 0; i < times; ++i) {
        EXPECT_GE(mutator.collect().live_objects, 1U);
        ASSERT_EQ(Record::number(root.get()), 7U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(collector_.collections(), kThreads * times) << "each asked for its own and got it";
}

// Two threads hand objects to each other through a registered slot, under a lock that both wait for as
// blocked.
TEST_P(MutatorThreads, HandObjectsToEachOtherThroughRegisteredSlots) {
  struct Mailbox {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Object*> letter = std::vector<Object*>(1, nullptr);
  };
  Mailbox mailbox;
  collector_.add_roots(mailbox.letter);
  const std::uint64_t letters = mark::scaled(3'000);
  constexpr std::uint64_t kLength = 30;

  // Waits as a blocked thread until the mailbox is as wanted. Only one thread at a time wants each state, so
  // it still is when the thread runs again.
  const auto wait_until = [&](Mutator& mutator, bool full) {
    const Mutator::Blocked blocked(mutator);
    std::unique_lock lock(mailbox.mutex);
    mailbox.changed.wait(lock, [&] { return (mailbox.letter[0] != nullptr) == full; });
  };
  const auto put = [&](Object* object) {
    const std::lock_guard lock(mailbox.mutex);
    mailbox.letter[0] = object;
    mailbox.changed.notify_all();
  };

  std::thread sender([&] {
    Mutator mutator(collector_);
    for (std::uint64_t number = 0; number < letters; ++number) {
      Handle list(mutator);
      for (std::uint64_t i = 0; i < kLength; ++i) ASSERT_TRUE(prepend(mutator, list, number + i));
      wait_until(mutator, false);
      put(list.get());
    }
  });
  std::thread receiver([&] {
    Mutator mutator(collector_);
    for (std::uint64_t number = 0; number < letters; ++number) {
      wait_until(mutator, true);
      const Handle list(mutator, mailbox.letter[0]);
      put(nullptr);
      for (int i = 0; i < 20; ++i) ASSERT_NE(mutator.allocate_array(array_type(), 20), nullptr);
      EXPECT_TRUE(is_list_of(list.get(), number, kLength));
    }
  });
  sender.join();
  receiver.join();
  EXPECT_GT(collector_.collections(), 0U);
  collector_.remove_roots(mailbox.letter);
}

// A thread that does nothing holds up no collection while it is blocked, and goes on only when none is under
// way.
TEST_P(MutatorThreads, ABlockedThreadIsNotWaitedFor) {
  std::mutex mutex;
  std::condition_variable changed;
  bool blocked = false;
  bool collected = false;
  std::thread sleeper([&] {
    Mutator mutator(collector_);
    const Handle root(mutator, mutator.allocate(Record::type()));
    Record::number(root.get()) = 3;
    {
      const Mutator::Blocked scope(mutator);
      std::unique_lock lock(mutex);
      blocked = true;
      changed.notify_all();
      changed.wait(lock, [&] { return collected; });
    }
    EXPECT_EQ(Record::number(root.get()), 3U);
    EXPECT_EQ(mutator.collect().live_objects, 1U);
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return blocked; });
  }
  EXPECT_EQ(collector_.collect().live_objects, 1U) << "the blocked thread's handle is a root all the same";
  {
    const std::lock_guard lock(mutex);
    collected = true;
    changed.notify_all();
  }
  sleeper.join();
}

INSTANTIATE_TEST_SUITE_P(MarkThreads, MutatorThreads, testing::Values(1U, 2U, 4U));

}  // namespace
}  // namespace jackdaw::gc
