// Threads that the program suspends and resumes, and collections meanwhile.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <thread>

#include "gc/c/interface.h"
#include "gc/c/start.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "tests/gc/c/hidden.h"
#include "tests/gc/process/sleeping_thread.h"

namespace jackdaw::c_interface {
namespace {

struct Knot {
  Knot* next;
  std::uint64_t value;
};
constexpr std::uint64_t kKnots = 100;

[[gnu::noinline]] Knot* new_knots() {
  Knot* list = nullptr;
  for (std::uint64_t value = kKnots; value > 0; --value) {
    auto* const link = static_cast<Knot*>(GC_malloc(sizeof(Knot)));
    *link = {list, value - 1};
    list = link;
  }
  return list;
}

bool knots_are_whole(const Knot* list) {
  std::uint64_t value = 0;
  for (; list != nullptr && list->value == value; list = list->next) ++value;
  return list == nullptr && value == kKnots;
}

// A thread that calls a step again and again until it is told to end, and counts.
class Worker {
 public:
  using Step = void (*)(Worker&);

  explicit Worker(Step step) : step_(step) {
    if (GC_pthread_create(&thread_, nullptr, run, this) != 0) ADD_FAILURE() << "no thread";
  }
  ~Worker() {
    is_to_end_.store(true);
    EXPECT_EQ(GC_pthread_join(thread_, nullptr), 0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] pthread_t id() const { return thread_; }
  // The system's number of it, 0 before it runs.
  [[nodiscard]] const std::atomic<pid_t>& number() const { return number_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_.load(); }
  void await_steps(std::uint64_t count) const {
    for (const std::uint64_t from = steps(); steps() < from + count;) sched_yield();
  }
  void suspend() const {
    GC_suspend_thread(id());
    EXPECT_EQ(GC_is_thread_suspended(id()), 1);
  }
  void resume() const {
    GC_resume_thread(id());
    EXPECT_EQ(GC_is_thread_suspended(id()), 0);
  }
  void count_step() { steps_.fetch_add(1); }

 private:
  static void* run(void* worker) {
    auto& self = *static_cast<Worker*>(worker);
    self.number_.store(gettid());
    while (!self.is_to_end_.load()) {
      self.step_(self);
      self.count_step();
    }
    return nullptr;
  }

  const Step step_;
  std::atomic<pid_t> number_{0};
  std::atomic<std::uint64_t> steps_{0};
  std::atomic<bool> is_to_end_{false};
  pthread_t thread_{};
};

void expect_stopped(const Worker& worker) {
  const std::uint64_t steps = worker.steps();
  for (int i = 0; i < 100; ++i) sched_yield();
  GC_gcollect();
  EXPECT_EQ(worker.steps(), steps);
}

class Suspension : public testing::Test {
 protected:
  void SetUp() override { GC_init(); }
};

TEST_F(Suspension, LastsUntilTheThreadIsResumed) {
  const Worker worker([](Worker&) {});
  for (int round = 0; round < 20; ++round) {
    worker.suspend();
    expect_stopped(worker);
    worker.resume();
    worker.await_steps(1);
  }
}

TEST_F(Suspension, TwiceIsSuspensionOnce) {
  const Worker worker([](Worker&) {});
  worker.suspend();
  worker.suspend();
  worker.resume();
  worker.await_steps(1);
  worker.resume();
}

// Whatever the thread is at: it allocates, frees, collects, and takes the collector's locks.
void use_collector(Worker&) {
  Knot* volatile list = new_knots();
  GC_free(GC_malloc(5000));
  GC_free(GC_malloc(100'000));
  GC_call_with_alloc_lock([](void* data) { return data; }, nullptr);
  static std::array<void*, 4> roots{};
  GC_add_roots(roots.begin(), roots.end());
  GC_remove_roots(roots.begin(), roots.end());
  GC_do_blocking([](void* data) { return data; }, nullptr);
  if (GC_get_gc_no() % 2 == 0) GC_gcollect();
  EXPECT_TRUE(knots_are_whole(list));
}

TEST_F(Suspension, KeepsNobodyFromCollectingWhateverTheThreadDid) {
  const Worker worker(use_collector);
  for (int round = 0; round < 300; ++round) {
    worker.suspend();
    Knot* volatile list = new_knots();
    GC_gcollect();
    new_knots();
    EXPECT_TRUE(knots_are_whole(list));
    worker.resume();
  }
  worker.await_steps(1);
}

TEST_F(Suspension, OfSomeThreadsLeavesOthersToRun) {
  const std::array<Worker, 3> workers{Worker(use_collector), Worker(use_collector), Worker(use_collector)};
  for (int round = 0; round < 100; ++round) {
    const Worker& one = workers[static_cast<std::size_t>(round) % 3];
    const Worker& other = workers[static_cast<std::size_t>(round + 1) % 3];
    one.suspend();
    other.suspend();
    workers[static_cast<std::size_t>(round + 2) % 3].await_steps(1);
    one.resume();
    one.await_steps(1);
    other.resume();
  }
}

std::atomic<bool> may_end_blocking{false};
std::atomic<int> blocked{0};

TEST_F(Suspension, OfABlockedThreadBeginsWhenItEndsToBeBlocked) {
  may_end_blocking.store(false);
  const Worker worker([](Worker& self) {
    Knot* volatile list = new_knots();
    GC_do_blocking(
        [](void* of) -> void* {
          static_cast<Worker*>(of)->count_step();
          blocked.fetch_add(1);
          while (!may_end_blocking.load()) sched_yield();
          blocked.fetch_sub(1);
          return nullptr;
        },
        &self);
    EXPECT_TRUE(knots_are_whole(list));
  });
  while (blocked.load() == 0) sched_yield();
  worker.suspend();
  collect();
  may_end_blocking.store(true);
  while (blocked.load() != 0) sched_yield();
  expect_stopped(worker);
  collect();
  worker.resume();
  worker.await_steps(3);
}

TEST_F(Suspension, OfItselfWaitsForAnother) {
  static std::atomic<int> rounds_left{0};
  rounds_left.store(10);
  const Worker worker([](Worker&) {
    if (rounds_left.load() == 0) return;
    Knot* volatile list = new_knots();
    rounds_left.fetch_sub(1);
    GC_suspend_thread(pthread_self());
    EXPECT_TRUE(knots_are_whole(list));
  });
  for (int round = 0; round < 10; ++round) {
    while (GC_is_thread_suspended(worker.id()) == 0) sched_yield();
    expect_stopped(worker);
    GC_resume_thread(worker.id());  // after which it may suspend itself again
  }
}

TEST_F(Suspension, InAQueueForALockKeepsNobodyBehindFromIt) {
  static gc::StoppableMutex mutex;
  const auto use_lock = [](Worker&) {
    mutex.lock();
    mutex.unlock();
  };
  mutex.lock();
  const Worker first(use_lock);
  gc::wait_until_it_sleeps(first.number());
  const Worker second(use_lock);
  gc::wait_until_it_sleeps(second.number());
  std::thread suspending([&] { GC_suspend_thread(first.id()); });
  while (GC_is_thread_suspended(first.id()) == 0) sched_yield();
  mutex.unlock();
  suspending.join();
  second.await_steps(2);
  expect_stopped(first);
  first.resume();
  first.await_steps(1);
}

TEST_F(Suspension, OfAThreadThatBlocksAllSignalsBegins) {
  const Worker worker([](Worker&) {
    sigset_t all;
    sigfillset(&all);
    (pthread_sigmask)(SIG_BLOCK, &all, nullptr);
  });
  worker.await_steps(1);
  worker.suspend();
  expect_stopped(worker);
  worker.resume();
  worker.await_steps(1);
}

// The C library has each thread do so.
TEST_F(Suspension, LetsTheProgramChangeItsUser) {
  const Worker worker([](Worker&) {});
  worker.suspend();
  EXPECT_EQ(setuid(getuid()), 0);
  expect_stopped(worker);
  worker.resume();
  worker.await_steps(1);
}

TEST_F(Suspension, OfWhatIsNoRegisteredThreadDoesNothing) {
  pthread_t thread{};
  ASSERT_EQ(pthread_create(
                &thread, nullptr, [](void* data) -> void* { return data; }, nullptr),
            0);
  GC_suspend_thread(thread);
  EXPECT_EQ(GC_is_thread_suspended(thread), 0);
  GC_resume_thread(thread);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
}

}  // namespace
}  // namespace jackdaw::c_interface
