// OwnProcessor: a thread is kept off a processor until it comes back, and nothing else changes.
#include "mark/own_processor.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <future>
#include <thread>

#include "tests/deny_system_call.h"

namespace jackdaw::mark {
namespace {

cpu_set_t allowed_processors(pthread_t thread) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  EXPECT_EQ(pthread_getaffinity_np(thread, sizeof allowed, &allowed), 0) << "there are too many processors";
  return allowed;
}

void expect_alike(const cpu_set_t& one, const cpu_set_t& other) { EXPECT_TRUE(CPU_EQUAL(&one, &other)); }

// A thread that waits until the test lets it come back.
class OwnProcessorTest : public testing::Test {
 protected:
  void SetUp() override {
    if (CPU_COUNT(&before_) < 2) GTEST_SKIP() << "there is one processor";
  }
  void TearDown() override { come_back(); }
  // Returns which processors the thread may then use.
  cpu_set_t keep_off(int processor, int second = -1) {
    own_.keep_off(thread_.native_handle(), processor, second);
    return allowed_processors(thread_.native_handle());
  }
  // Has the thread come back, and end.
  void come_back() {
    if (!thread_.joinable()) return;
    comes_back_.set_value();
    thread_.join();
  }
  [[nodiscard]] int nth(int number) const {
    int processor = 0;
    while (!CPU_ISSET(static_cast<std::size_t>(processor), &before_) || number-- > 0) ++processor;
    return processor;
  }
  [[nodiscard]] cpu_set_t all_but(int processor) const {
    cpu_set_t set = before_;
    CPU_CLR(static_cast<std::size_t>(processor), &set);
    return set;
  }

  const cpu_set_t before_ = allowed_processors(pthread_self());
  cpu_set_t after_{};
  OwnProcessor own_;
  std::promise<void> comes_back_;
  std::thread thread_{[this] {
    comes_back_.get_future().wait();
    own_.come_back();
    after_ = allowed_processors(pthread_self());
  }};
};

TEST_F(OwnProcessorTest, AThreadIsKeptOffAProcessorUntilItComesBack) {
  expect_alike(keep_off(nth(0)), all_but(nth(0)));
  come_back();
  expect_alike(after_, before_);
}

TEST_F(OwnProcessorTest, AThreadIsKeptOffASecondOneIfThereIsAThird) {
  cpu_set_t left = all_but(nth(0));
  if (CPU_COUNT(&left) > 1) CPU_CLR(static_cast<std::size_t>(nth(1)), &left);
  expect_alike(keep_off(nth(0), nth(1)), left);
  come_back();
  expect_alike(after_, before_);
}

TEST_F(OwnProcessorTest, TheLastCallCounts) {
  keep_off(nth(0));
  expect_alike(keep_off(nth(1)), all_but(nth(1)));
  come_back();
  expect_alike(after_, before_);
}

TEST_F(OwnProcessorTest, WhatIsNoProcessorChangesNothing) {
  for (const int processor : {-1, CPU_SETSIZE}) expect_alike(keep_off(processor), before_);
  come_back();
  expect_alike(after_, before_);
}

TEST_F(OwnProcessorTest, WhatOthersSetMeanwhileStays) {
  keep_off(nth(0));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(nth(0)), &one);
  ASSERT_EQ(pthread_setaffinity_np(thread_.native_handle(), sizeof one, &one), 0);
  come_back();
  expect_alike(after_, one);
}

// A filter that was installed since may end the program at a call that it does not expect.
TEST_F(OwnProcessorTest, NothingChangesAfterAFilterOfSystemCallsWasInstalled) {
  bool is_filtered = false;
  std::thread([&] {
    is_filtered = forbid(SYS_sched_setaffinity);
    if (is_filtered) own_.keep_off(thread_.native_handle(), nth(0));
  }).join();
  if (!is_filtered) GTEST_SKIP() << "system calls cannot be filtered";
  expect_alike(allowed_processors(thread_.native_handle()), before_);
}

TEST_F(OwnProcessorTest, AThreadIsKeptOffUnderAFilterFromBefore) {
  bool is_filtered = false;
  std::thread([&] {
    is_filtered = deny(SYS_getcpu, EPERM);
    if (is_filtered) OwnProcessor().keep_off(thread_.native_handle(), nth(0));
  }).join();
  if (!is_filtered) GTEST_SKIP() << "system calls cannot be filtered";
  expect_alike(allowed_processors(thread_.native_handle()), all_but(nth(0)));
}

TEST_F(OwnProcessorTest, AThreadThatMayRunNowhereElseStays) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(nth(0)), &one);
  ASSERT_EQ(pthread_setaffinity_np(thread_.native_handle(), sizeof one, &one), 0);
  expect_alike(keep_off(nth(0)), one);
  come_back();
  expect_alike(after_, one);
}

}  // namespace
}  // namespace jackdaw::mark
