// StoppableMutex: one holder at a time, a queue in order, and no waiter forgotten.
#include "gc/process/threads/stoppable_mutex.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "gc/process/threads/stops_by_signal.h"
#include "tests/gc/process/sleeping_thread.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

// A thread that takes a mutex, and holds it until it is told to let go.
class QueuedHolder {
 public:
  // Returns when the thread sleeps in the mutex's queue.
  explicit QueuedHolder(StoppableMutex& mutex) : mutex_(mutex), thread_([this] { run(); }) {
    wait_until_it_sleeps(number_);
  }
  ~QueuedHolder() {
    unblock();
    thread_.join();
  }
  QueuedHolder(const QueuedHolder&) = delete;
  QueuedHolder& operator=(const QueuedHolder&) = delete;

  void unblock() { may_unblock_.store(true); }
  [[nodiscard]] bool holds() const { return holds_.load(); }

 private:
  void run() {
    number_.store(gettid());
    mutex_.lock();
    holds_.store(true);
    while (!may_unblock_.load()) std::this_thread::yield();
    mutex_.unlock();
  }

  StoppableMutex& mutex_;
  std::atomic<pid_t> number_{0};
  std::atomic<bool> holds_{false};
  std::atomic<bool> may_unblock_{false};
  std::thread thread_;
};

class StoppableMutexQueue : public testing::Test {
 protected:
  void SetUp() override {
    if (!kStopsBySignal) GTEST_SKIP() << "nobody sleeps in the queue";
    mutex_.lock();
  }

  StoppableMutex mutex_;
};

TEST_F(StoppableMutexQueue, NobodyPassesAfterALongHold) {
  for (int i = 0; i < 20; ++i) {
    QueuedHolder first(mutex_);
    mutex_.let_nobody_pass();
    mutex_.unlock();
    EXPECT_FALSE(mutex_.try_lock()) << "it is the first one's, whether he has woken up or not";
    first.unblock();
    mutex_.lock();
    EXPECT_TRUE(first.holds());
  }
  mutex_.unlock();
}

TEST_F(StoppableMutexQueue, NobodyIsPassedForEver) {
  const QueuedHolder first(mutex_);
  std::uint32_t passes = 0;
  for (mutex_.unlock(); mutex_.try_lock(); mutex_.unlock()) {
    ASSERT_FALSE(first.holds());
    ASSERT_LE(++passes, StoppableMutex::kMostPasses);
  }
}

TEST_F(StoppableMutexQueue, IsServedInOrder) {
  constexpr std::size_t kThreads = 40;  // more than there are bits to tell sleepers apart
  std::vector<std::size_t> order;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    std::atomic<pid_t> number{0};
    threads.emplace_back([&, i] {
      number.store(gettid());
      mutex_.lock();
      order.push_back(i);
      mutex_.unlock();
    });
    wait_until_it_sleeps(number);
  }
  mutex_.unlock();
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(order.size(), kThreads);
  for (std::size_t i = 0; i < kThreads; ++i) EXPECT_EQ(order[i], i);
}

TEST_F(StoppableMutexQueue, IsForgottenInTheChildOfAFork) {
  QueuedHolder first(mutex_);
  QueuedHolder second(mutex_);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    mutex_.forget_queue();
    QueuedHolder of_child(mutex_);
    of_child.unblock();
    mutex_.unlock();
    mutex_.lock();
    _exit(0);
  }
  first.unblock();
  second.unblock();
  mutex_.unlock();
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(StoppableMutex, HasOneHolder) {
  const std::size_t times = mark::scaled(100'000);
  constexpr std::size_t kThreads = 4;
  StoppableMutex mutex;
  std::size_t count = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t time = 0; time < times; ++time) {
        if (time % 3 != 0 || !mutex.try_lock()) mutex.lock();
        ++count;
        if (time % 64 == i) mutex.let_nobody_pass();
        mutex.unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, kThreads * times);
}

TEST(StoppableMutex, KnowsWhetherTheCallerHoldsIt) {
  StoppableMutex mutex;
  EXPECT_FALSE(mutex.is_held_by_caller());
  {
    const NestedLock outer(mutex);
    EXPECT_TRUE(mutex.is_held_by_caller());
    { const NestedLock inner(mutex); }
    EXPECT_FALSE(mutex.try_lock()) << "the inner one has not unlocked it";
    std::thread([&] { EXPECT_FALSE(mutex.is_held_by_caller()); }).join();
  }
  EXPECT_FALSE(mutex.is_held_by_caller());
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

}  // namespace
}  // namespace jackdaw::gc
