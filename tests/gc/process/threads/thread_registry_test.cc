// ThreadRegistry: threads on odd stacks, with odd masks, that come, go and vanish.
#include "gc/process/threads/thread_registry.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/page_memory.h"
#include "base/signal_mask.h"
#include "gc/process/threads/fake_stack.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_status.h"
#include "tests/deny_system_call.h"
#include "tests/gc/process/hidden_lists.h"
#include "tests/gc/process/sleeping_thread.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

ThreadRegistry& threads() { return collector().threads(); }

// Runs `function` on another thread, which is not registered, and waits for it, blocked.
template <typename Function>
void on_another_thread(Function function) {
  // Before the thread is there: the one that makes the collector is registered.
  ThreadRegistry& registry = threads();
  std::thread thread(function);
  registry.call_blocked(join_one, &thread);
}

// Runs `function` on a new thread with that stack and waits for it, blocked.
template <typename Function>
void on_a_stack(std::byte* stack, std::size_t bytes, Function function) {
  ThreadRegistry& registry = threads();
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstack(&attributes, stack, bytes), 0);
  const auto run = [](void* of) -> void* {
    (*static_cast<Function*>(of))();
    return nullptr;
  };
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &function), 0);
  pthread_attr_destroy(&attributes);
  registry.call_blocked([](void* of) { pthread_join(*static_cast<pthread_t*>(of), nullptr); }, &thread);
}

// A stack of its own, below a page that cannot be read and above another.
class SeparateStack {
 public:
  static constexpr std::size_t kBytes = std::size_t{256} << 10;

  SeparateStack() : memory_(base::PageMemory::allocate(kBytes + 2 * page_bytes())) {
    EXPECT_EQ(mprotect(memory_.data(), page_bytes(), PROT_NONE), 0);
    EXPECT_EQ(mprotect(begin() + kBytes, page_bytes(), PROT_NONE), 0);
  }
  ~SeparateStack() { base::PageMemory::release(memory_); }
  SeparateStack(const SeparateStack&) = delete;
  SeparateStack& operator=(const SeparateStack&) = delete;

  [[nodiscard]] std::byte* begin() const { return memory_.data() + page_bytes(); }
  [[nodiscard]] std::uintptr_t end() const { return reinterpret_cast<std::uintptr_t>(begin()) + kBytes; }

 private:
  static std::size_t page_bytes() { return static_cast<std::size_t>(getpagesize()); }

  std::span<std::byte> memory_;
};

// Runs `check` in a new process, in which no collector was made before, and expects no failure there.
template <typename Check>
void expect_success_in_a_new_process(Check check) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto check_and_exit = [check] {
    check();
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(check_and_exit(), testing::ExitedWithCode(0), "");
}

// Expects that in a new process a collection beside a thread that is in `be_deaf()` ends the program with
// that line.
template <typename BeDeaf>
void expect_end_beside_a_thread_that_is(BeDeaf be_deaf, const char* line) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto collect_beside_it = [be_deaf] {
    ProcessCollector::initial_options().stop_patience = std::chrono::seconds(1);
    std::atomic<bool> is_deaf{false};
    const std::thread deaf([&] {
      new_link(nullptr, 0);
      be_deaf(is_deaf);
    });
    wait_until(is_deaf);
    collector().collect();
  };
  EXPECT_EXIT(collect_beside_it(), testing::KilledBySignal(SIGABRT), line);
}

// ---- Alternate signal stacks ----

std::atomic<bool> handler_runs{false};
std::atomic<bool> handler_may_end{false};
std::atomic<bool> handler_has_sections{false};
std::atomic<bool> handlers_list_is_intact{false};

void hold_a_list_in_a_handler(int) {
  Link* volatile list = new_list(kLength);
  handler_runs.store(true);
  while (!handler_may_end.load()) {
    if (handler_has_sections.load())
      const ThreadRegistry::CriticalSection section(*ThreadRegistry::current());
  }
  std::uint64_t length = 0;
  for (const Link* link = list; link != nullptr; link = link->next) length += link->value == length ? 1 : 0;
  handlers_list_is_intact.store(length == kLength);
}

// Interrupts itself and stays in the handler, on the stack given, until the test says.
void be_interrupted(std::byte* stack) {
  const stack_t signal_stack{.ss_sp = stack, .ss_flags = 0, .ss_size = SeparateStack::kBytes};
  ASSERT_EQ(sigaltstack(&signal_stack, nullptr), 0);
  Link* volatile list = new_list(kLength);
  raise(SIGUSR1);
  expect_intact(list, kLength);
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  EXPECT_EQ(sigaltstack(&none, nullptr), 0);
}

template <typename BeInterrupted>
void collect_during_a_handler(BeInterrupted be_interrupted_somewhere) {
  struct sigaction action {};
  action.sa_handler = hold_a_list_in_a_handler;
  action.sa_flags = SA_ONSTACK;
  struct sigaction before {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  handler_runs.store(false);
  handler_may_end.store(false);
  std::thread interrupted(be_interrupted_somewhere);
  wait_until(handler_runs);
  for (int i = 0; i < 3; ++i) {
    collector().collect();
    dropped_list();
  }
  handler_may_end.store(true);
  threads().call_blocked(join_one, &interrupted);
  EXPECT_TRUE(handlers_list_is_intact.load());
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(ThreadStacks, AHandlersAndTheInterruptedOneAreBothRoots) {
  const SeparateStack stack;
  collect_during_a_handler([&] { be_interrupted(stack.begin()); });
}

void be_interrupted_on_a_variable() {
  std::array<std::byte, SeparateStack::kBytes> stack;
  be_interrupted(stack.data());
}

TEST(ThreadStacks, AHandlersMayBeAVariableOnTheThreadsOwn) {
  collect_during_a_handler(be_interrupted_on_a_variable);
}

TEST(ThreadStacks, AHandlersMayBeAVariableOnTheThreadsOwnWhereItStopsByItself) {
  handler_has_sections.store(true);
  collect_during_a_handler(be_interrupted_on_a_variable);
  handler_has_sections.store(false);
}

// ---- Coroutines ----

ucontext_t main_context;
ucontext_t coroutine_context;

// Runs `function` on the stack and comes back when it returns.
template <typename Stack>
void run_on(const Stack& stack, void (*function)()) {
  ASSERT_EQ(getcontext(&coroutine_context), 0);
  coroutine_context.uc_stack.ss_sp = stack.begin();
  coroutine_context.uc_stack.ss_size = Stack::kBytes;
  coroutine_context.uc_link = &main_context;
  makecontext(&coroutine_context, function, 0);
  ASSERT_EQ(swapcontext(&main_context, &coroutine_context), 0);
}

void collect_with_a_list() {
  Link* volatile list = new_list(kLength);
  for (int i = 0; i < 3; ++i) {
    collector().collect();
    dropped_list();
  }
  expect_intact(list, kLength);
}

TEST(ThreadStacks, OfACoroutineThatNobodyToldOfAreScannedWithTheThreadsOwn) {
  const SeparateStack stack;
  Link* volatile list = new_list(kLength);
  run_on(stack, collect_with_a_list);
  expect_intact(list, kLength);
}

TEST(ThreadStacks, OfACoroutineAreScannedToTheEndThatWasTold) {
  const SeparateStack stack;
  collector().collect();
  ProcessThread& self = *ThreadRegistry::current();
  const std::uintptr_t own_end = self.stack_end();
  threads().set_stack_end(self, stack.end());
  EXPECT_EQ(self.stack_end(), stack.end());
  run_on(stack, collect_with_a_list);
  threads().set_stack_end(self, own_end);
  EXPECT_EQ(self.stack_end(), own_end);
  collect_with_a_list();
}

// ---- Bounds that change ----

constexpr int kDeep = 20;  // more mebibytes than the collector takes any stack to have

// Calls `function` `frames` frames of a mebibyte deeper, each of which alone keeps a list, and looks for the
// lists when it returns.
template <typename Function>
[[gnu::noinline]] void deeper(int frames, Function function) {
  std::array<volatile char, std::size_t{1} << 20> room;
  room.front() = 0;
  Link* volatile list = nullptr;
  const std::vector<HiddenAddress> hidden = put_list(list);
  if (frames > 1) {
    deeper(frames - 1, function);
  } else {
    function();
  }
  room.back() = 0;
  EXPECT_EQ(still_there(hidden), kLength) << "in frame " << frames;
}

// A stack below a page that cannot be read, of which a thread may know the upper part alone.
class LongStack {
 public:
  static constexpr std::size_t kBytes = std::size_t{kDeep + 4} << 20;
  static constexpr std::size_t kKnownBytes = std::size_t{2} << 20;

  LongStack() : memory_(base::PageMemory::allocate(kBytes)) {
    EXPECT_EQ(mprotect(memory_.data(), static_cast<std::size_t>(getpagesize()), PROT_NONE), 0);
  }
  ~LongStack() { base::PageMemory::release(memory_); }
  LongStack(const LongStack&) = delete;
  LongStack& operator=(const LongStack&) = delete;

  [[nodiscard]] std::byte* begin() const { return memory_.data(); }
  [[nodiscard]] std::uintptr_t end() const { return reinterpret_cast<std::uintptr_t>(begin()) + kBytes; }
  [[nodiscard]] std::byte* known() const { return begin() + kBytes - kKnownBytes; }

 private:
  std::span<std::byte> memory_;
};

// The limit of the first thread's stack is raised as long as it exists.
class RaisedStackLimit {
 public:
  RaisedStackLimit() {
    getrlimit(RLIMIT_STACK, &before_);
    const rlimit raised{before_.rlim_max, before_.rlim_max};
    setrlimit(RLIMIT_STACK, &raised);
  }
  ~RaisedStackLimit() { setrlimit(RLIMIT_STACK, &before_); }
  RaisedStackLimit(const RaisedStackLimit&) = delete;
  RaisedStackLimit& operator=(const RaisedStackLimit&) = delete;

  [[nodiscard]] bool is_enough() const { return before_.rlim_max >= LongStack::kBytes; }

 private:
  rlimit before_{};
};

TEST(ThreadStacks, AreScannedBeyondALimitThatWasRaised) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer knows the first limit";
  collector().collect();
  const RaisedStackLimit raised;
  if (!raised.is_enough()) GTEST_SKIP() << "it cannot be raised";
  deeper(kDeep, collect_with_a_list);
  const SeparateStack other;
  deeper(kDeep, [&] { run_on(other, collect_with_a_list); });
  on_another_thread([] { collect_with_a_list(); });
}

TEST(ThreadStacks, AreScannedBeyondARaisedLimitDuringAHandler) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer knows the first limit";
  const LongStack own;
  const SeparateStack of_signals;
  collect_during_a_handler([&] {
    on_a_stack(own.known(), LongStack::kKnownBytes,
               [&] { deeper(kDeep, [&] { be_interrupted(of_signals.begin()); }); });
  });
}

TEST(ThreadStacks, AreScannedBelowWhatTheThreadLibraryKnows) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer knows what the library does";
  const LongStack stack;
  on_a_stack(stack.known(), LongStack::kKnownBytes, [] { deeper(kDeep, collect_with_a_list); });
}

TEST(ThreadStacks, OfADeepCoroutineAreScannedToTheEndThatWasTold) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer does not know the coroutine";
  const LongStack stack;
  collector().collect();
  ProcessThread& self = *ThreadRegistry::current();
  const std::uintptr_t own_end = self.stack_end();
  threads().set_stack_end(self, stack.end());
  run_on(stack, [] { deeper(kDeep, collect_with_a_list); });
  threads().set_stack_end(self, own_end);
}

TEST(ThreadStacks, AreFoundWhereTheSystemRefusesToTellOfProcessors) {
  on_another_thread([] {
    ASSERT_TRUE(deny(SYS_sched_getaffinity, EPERM));
    collect_with_a_list();
  });
}

TEST(ThreadStacksDeathTest, OfTheFirstThreadNeedNoFileAndNoLimit) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer opens files itself";
  expect_success_in_a_new_process([] {
    const RaisedStackLimit raised;
    ASSERT_TRUE(deny(SYS_openat, EMFILE));
    ASSERT_TRUE(deny(SYS_prlimit64, EPERM));
    collect_with_a_list();
  });
}

// ---- Registration ----

thread_local Link* list_of_this_thread = nullptr;

[[gnu::noinline]] void collect_with_the_stack_from_here(Link* volatile& above) {
  const auto end = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  ProcessThread& self = threads().register_current(end);
  EXPECT_EQ(self.stack_end(), end);
  const std::vector<HiddenAddress> not_scanned = put_list(above);
  const std::vector<HiddenAddress> of_thread = put_list(list_of_this_thread);
  Link* volatile list = new_list(kLength);
  collect_cleanly();
  EXPECT_LT(still_there(not_scanned), kLength);
  EXPECT_EQ(still_there(of_thread), kLength);
  expect_intact(list, kLength);
}

TEST(ThreadRegistry, AThreadMayTellWhereItsStackEnds) {
  on_another_thread([] {
    // The highest addresses of a stack are the thread's static area: the list is kept far from it.
    std::array<Link* volatile, 4096> frames{};
    const auto address = reinterpret_cast<std::uintptr_t>(frames.data());
    if (FakeStack::of_this_thread().real_address(address) != address)
      GTEST_SKIP() << "the reference to it leads to a frame that is scanned";
    collect_with_the_stack_from_here(frames.front());
  });
}

std::size_t mapped_pages() {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "r"), std::fclose);
  std::size_t pages = 0;
  EXPECT_EQ(std::fscanf(file.get(), "%zu", &pages), 1);
  return pages;
}

// Tries to register, again and again, with room for `room` more pages, and returns how many stay mapped.
std::size_t pages_lost_in_registration(std::size_t room) {
  rlimit before{};
  EXPECT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const std::size_t pages = mapped_pages();
  const rlimit limit{(pages + room) * static_cast<std::size_t>(getpagesize()), before.rlim_max};
  EXPECT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  for (int i = 0; i < 100; ++i) {
    try {
      threads().register_current();
      threads().unregister_current();
    } catch (const std::bad_alloc&) {
      continue;
    }
  }
  EXPECT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  return mapped_pages() - pages;
}

TEST(ThreadRegistry, ARegistrationThatFailsLosesNoMemory) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer needs addresses itself";
  collector().collect();
  on_another_thread([] {
    // Memory that stdio and the C library need for this thread is allocated now.
    mapped_pages();
    ThreadStack::of_this_thread();
    for (std::size_t room = 0; room < 8; ++room) EXPECT_LT(pages_lost_in_registration(room), 50U) << room;
  });
}

TEST(ThreadRegistry, AThreadKnowsTheEndOfItsOwnStackAlone) {
  on_another_thread([] {
    const ProcessThread& thread = collector().threads().this_thread();
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const auto elsewhere = std::make_unique<int>();
    EXPECT_EQ(thread.stack_end_above(here), thread.stack_end());
    EXPECT_EQ(thread.stack_end_above(reinterpret_cast<std::uintptr_t>(elsewhere.get())), 0U);
  });
}

// ---- Blocked and active ----

void collect_with_threads(void*) {
  Link* volatile list = new_list(kLength);
  on_another_thread([] {
    for (int i = 0; i < 3; ++i) {
      collector().collect();
      dropped_list();
    }
  });
  collector().collect();
  expect_intact(list, kLength);
}

// Returns the pages in which the entries of `count` threads lie that are registered at the same time.
std::set<std::uintptr_t> pages_of_entries(int count) {
  std::set<std::uintptr_t> pages;
  std::function<void()> register_another = [&] {
    if (count-- == 0) return;
    const auto entry = reinterpret_cast<std::uintptr_t>(&threads().this_thread());
    pages.insert(entry / base::page_bytes());
    on_another_thread(register_another);
  };
  on_another_thread(register_another);
  return pages;
}

TEST(ThreadRegistry, EntriesShareTheirPages) {
  constexpr int kThreads = 40;
  const std::set<std::uintptr_t> pages = pages_of_entries(kThreads);
  EXPECT_LE(pages.size(), std::size_t{kThreads} / 4 + 1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(pages_of_entries(kThreads), pages) << "they are used again";
}

std::uintptr_t block_of(const void* object) {
  return reinterpret_cast<std::uintptr_t>(object) / heap::kBlockBytes;
}

TEST(ThreadRegistry, FirstObjectsOfThreadsShareABlock) {
  std::set<std::uintptr_t> blocks;
  for (int i = 0; i < 10; ++i) {
    on_another_thread([&] {
      const Link* list = new_list(heap::Allocator::kFirstObjects);
      expect_intact(list, heap::Allocator::kFirstObjects);
      for (; list != nullptr; list = list->next) blocks.insert(block_of(list));
    });
  }
  EXPECT_EQ(blocks.size(), 1U);
  on_another_thread([&] {
    const Link* const list = new_list(heap::Allocator::kFirstObjects + 1);
    EXPECT_FALSE(blocks.contains(block_of(list))) << "a thread that allocates more has its own";
  });
}

TEST(ThreadRegistry, InsideABlockedCallAnActiveOneMayUseTheHeap) {
  Link* volatile list = new_list(kLength);
  const auto blocked = [](void*) {
    threads().call_active(collect_with_threads, nullptr);
    // Blocked again: a collection does not wait.
    std::thread([] { collector().collect(); }).join();
    threads().call_active(collect_with_threads, nullptr);
  };
  threads().call_blocked(blocked, nullptr);
  expect_intact(list, kLength);
}

TEST(ThreadRegistry, AnExceptionEndsABlockedCall) {
  collector().collect();
  EXPECT_THROW(threads().call_blocked([](void*) { throw 1; }, nullptr), int);
  collect_with_threads(nullptr);
}

// ---- Signals ----

// A thread that alone leads to a list and runs `run(*this)`, which says when it is ready and returns when it
// may end.
class ThreadWithAList {
 public:
  template <typename Run>
  explicit ThreadWithAList(Run run)
      : thread_([this, run] {
          Link* volatile list = new_list(kLength);
          run(*this);
          expect_intact(list, kLength);
        }) {}
  ~ThreadWithAList() {
    may_end_.store(true);
    threads().call_blocked(join_one, &thread_);
  }
  ThreadWithAList(const ThreadWithAList&) = delete;
  ThreadWithAList& operator=(const ThreadWithAList&) = delete;

  // The thread itself calls these.
  void be_ready() { is_ready_.store(true); }
  [[nodiscard]] bool may_end() const { return may_end_.load(); }

  // The test calls these.
  void collect_beside_it(std::size_t times) {
    wait_until(is_ready_);
    for (std::size_t i = 0; i < times; ++i) {
      collector().collect();
      dropped_list();
    }
  }
  [[nodiscard]] pthread_t handle() { return thread_.native_handle(); }

 private:
  std::atomic<bool> is_ready_{false};
  std::atomic<bool> may_end_{false};
  std::thread thread_;
};

template <typename Run>
void collect_beside(Run run, std::size_t times) {
  ThreadWithAList(run).collect_beside_it(times);
}

void wait_to_end(const ThreadWithAList& thread) {
  while (!thread.may_end()) {
  }
}

void be_ready_and_wait_to_end(ThreadWithAList& thread) {
  thread.be_ready();
  wait_to_end(thread);
}

sigset_t all_signals() {
  sigset_t all;
  sigfillset(&all);
  return all;
}

TEST(ThreadRegistry, AThreadMayBlockAllOtherSignals) {
  const sigset_t allowed = StopSignal::removed_from(all_signals());
  EXPECT_EQ(sigismember(&allowed, StopSignal::number()), 0);
  EXPECT_EQ(sigismember(&allowed, SIGUSR1), 1);
  const auto run = [&](ThreadWithAList& thread) {
    pthread_sigmask(SIG_SETMASK, &allowed, nullptr);
    be_ready_and_wait_to_end(thread);
  };
  collect_beside(run, 1);
}

TEST(ThreadRegistry, AnInheritedMaskDoesNotCount) {
  const auto begin_masked = [] {
    const base::SignalsBlocked inherited(base::kAllProgramSignals);
    return ThreadWithAList(be_ready_and_wait_to_end);
  };
  begin_masked().collect_beside_it(1);
}

// Collects beside a thread that blocks all signals that it can, and calls `wait()` again and again.
template <typename Wait>
void collect_while_all_signals_are_blocked(Wait wait) {
  ThreadWithAList masked([wait](ThreadWithAList& thread) {
    sigset_t mask = all_signals();
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    thread.be_ready();
    while (!thread.may_end()) wait();
    sigemptyset(&mask);
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    dropped_list();
    collector().collect();
  });
  masked.collect_beside_it(5);
  // The C library reaches all threads for this by the signal that no thread can block.
  EXPECT_EQ(seteuid(geteuid()), 0);
}

TEST(ThreadRegistry, AThreadThatBlocksAllSignalsIsStoppedAllTheSame) {
  collect_while_all_signals_are_blocked([] {});
}

TEST(ThreadRegistry, AThreadThatBlocksAllSignalsIsStoppedInItsSleep) {
  collect_while_all_signals_are_blocked([] { usleep(1000); });
}

TEST(ThreadRegistry, AThreadThatBlocksAllSignalsIsStoppedWhileItAllocates) {
  collect_while_all_signals_are_blocked([] { dropped_list(); });
}

// The C library's handler may run on another stack, and so does ours.
TEST(ThreadRegistry, AThreadThatBlocksAllSignalsMayHaveAnotherStackForThem) {
  const SeparateStack stack;
  collect_while_all_signals_are_blocked([&] {
    const stack_t signal_stack{.ss_sp = stack.begin(), .ss_flags = 0, .ss_size = SeparateStack::kBytes};
    ASSERT_EQ(sigaltstack(&signal_stack, nullptr), 0);
    usleep(1000);
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    ASSERT_EQ(sigaltstack(&none, nullptr), 0);
  });
}

// The C library's functions leave two signals out.
void block_all_signals_in_the_kernel() {
  const std::uint64_t all = ~std::uint64_t{0};
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, sizeof all);
}

TEST(ThreadRegistry, AThreadThatNoSignalReachesStopsAtTheEndOfASection) {
  const auto run = [](ThreadWithAList& thread) {
    const base::SignalsBlocked all(base::kAllSignals);
    thread.be_ready();
    while (!thread.may_end()) const ThreadRegistry::CriticalSection section(*ThreadRegistry::current());
  };
  collect_beside(run, 5);
}

// A thread that no signal reaches and that sleeps in the queue for a lock, until it gets that.
class DeafSleeper {
 public:
  DeafSleeper() {
    lock_.lock();
    thread_ = std::thread([this] { sleep(); });
    wait_until_it_sleeps(number_);
  }
  ~DeafSleeper() {
    lock_.unlock();
    threads().call_blocked(join_one, &thread_);
  }
  DeafSleeper(const DeafSleeper&) = delete;
  DeafSleeper& operator=(const DeafSleeper&) = delete;

  [[nodiscard]] pthread_t handle() { return thread_.native_handle(); }

 private:
  void sleep() {
    Link* volatile list = new_list(kLength);
    const base::SignalsBlocked all(base::kAllSignals);
    number_.store(gettid());
    const std::lock_guard lock(lock_);
    expect_intact(list, kLength);
  }

  StoppableMutex lock_;
  std::atomic<pid_t> number_{0};
  std::thread thread_;
};

TEST(ThreadRegistry, AThreadThatNoSignalReachesStopsInTheQueueForALock) {
  const DeafSleeper sleeper;
  for (int i = 0; i < 3; ++i) {
    collector().collect();
    dropped_list();
  }
}

TEST(ThreadRegistry, AThreadThatNoSignalReachesAnswersInTheQueueForALockThatItIsSuspended) {
  DeafSleeper sleeper;
  threads().suspension().suspend(sleeper.handle());
  EXPECT_TRUE(threads().suspension().is_suspended(sleeper.handle()));
  threads().suspension().resume(sleeper.handle());
}

TEST(ThreadRegistryDeathTest, AThreadThatCannotBeStoppedEndsTheProgram) {
  const auto block_all_signals = [](std::atomic<bool>& is_deaf) {
    block_all_signals_in_the_kernel();
    is_deaf.store(true);
    for (;;) pause();
  };
  expect_end_beside_a_thread_that_is(
      block_all_signals, "cannot stop thread [0-9]+, which has blocked signal [0-9]+, .* for 1 seconds");
}

TEST(ThreadRegistry, AThreadThatHearsAgainIsWaitedFor) {
  const auto run = [](ThreadWithAList& thread) {
    {
      const base::SignalsBlocked all(base::kAllSignals);
      thread.be_ready();
      usleep(200'000);  // the collection has looked for it by then
    }
    wait_to_end(thread);
  };
  collect_beside(run, 1);
}

// ---- A thread that spawns a child ----

// A thread in posix_spawn(), whose child opens a FIFO that has no writer yet.
class SpawningThread {
 public:
  SpawningThread() : thread_([this] { spawn(); }) {
    while (number_.load() == 0 || !stack_pointer_of_spawning(number_.load())) std::this_thread::yield();
  }
  ~SpawningThread() {
    threads().call_blocked(join_one, &thread_);
    unlink(path_.c_str());
  }
  SpawningThread(const SpawningThread&) = delete;
  SpawningThread& operator=(const SpawningThread&) = delete;

  void let_child_go_on() const { close(open(path_.c_str(), O_WRONLY | O_CLOEXEC)); }
  [[nodiscard]] const std::atomic<pid_t>& number() const { return number_; }
  [[nodiscard]] bool is_back() const { return is_back_.load(); }

 private:
  void spawn() {
    Link* volatile list = new_list(kLength);
    ASSERT_EQ(mkfifo(path_.c_str(), S_IRUSR | S_IWUSR), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, path_.c_str(), O_RDONLY, 0);
    std::string name = "true";
    const std::array<char*, 2> arguments{name.data(), nullptr};
    number_.store(gettid());
    pid_t child = 0;
    EXPECT_EQ(posix_spawnp(&child, name.c_str(), &actions, nullptr, arguments.data(), environ), 0);
    is_back_.store(true);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    posix_spawn_file_actions_destroy(&actions);
    expect_intact(list, kLength);
  }

  const std::string path_ = testing::TempDir() + "jackdaw_spawn." + std::to_string(getpid());
  std::atomic<pid_t> number_{0};
  std::atomic<bool> is_back_{false};
  std::thread thread_;
};

TEST(ThreadRegistry, AThreadThatSpawnsAChildIsNotWaitedFor) {
  const SpawningThread spawning;
  for (int i = 0; i < 3; ++i) {
    collector().collect();
    dropped_list();
  }
  EXPECT_FALSE(spawning.is_back());
  spawning.let_child_go_on();
}

TEST(ThreadRegistry, AThreadThatHasSpawnedAChildStandsStillBeforeItReturns) {
  const SpawningThread spawning;
  EXPECT_EQ(threads().stops().stop_others(), 1U);
  spawning.let_child_go_on();
  wait_until_it_sleeps(spawning.number());
  EXPECT_FALSE(spawning.is_back());
  threads().stops().resume_others();
}

// The thread that is woken wakes the others.
TEST(ThreadRegistry, AllGoOnThatAreResumedSoon) {
  std::array<std::atomic<std::uint64_t>, 4> counts{};
  std::atomic<bool> may_end{false};
  std::vector<std::thread> counting;
  for (std::atomic<std::uint64_t>& count : counts) {
    counting.emplace_back([&may_end, &count] {
      new_link(nullptr, 0);
      while (!may_end.load()) count.fetch_add(1);
    });
  }
  const auto wait_for_more = [&counts](const auto& before) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      while (counts[i].load() == before[i]) std::this_thread::yield();
    }
  };
  const auto now = [&counts] {
    std::array<std::uint64_t, 4> values{};
    for (std::size_t i = 0; i < counts.size(); ++i) values[i] = counts[i].load();
    return values;
  };
  wait_for_more(std::array<std::uint64_t, 4>{});
  for (std::size_t i = 0; i < mark::scaled(60); ++i) {
    EXPECT_EQ(threads().stops().stop_others(), counts.size());
    const auto stopped = now();
    EXPECT_EQ(now(), stopped);
    threads().stops().resume_others_soon();
    if (i % 3 == 0) wait_for_more(stopped);
    if (i % 2 == 0) threads().stops().wake_resumed();
  }
  may_end.store(true);
  threads().call_blocked(
      [](void* all) {
        for (std::thread& thread : *static_cast<std::vector<std::thread>*>(all)) thread.join();
      },
      &counting);
}

// A stop signal from elsewhere stops no thread, and takes no part in a collection.
TEST(ThreadRegistry, ASignalFromElsewhereDoesNothing) {
  const auto run = [](ThreadWithAList& thread) {
    thread.be_ready();
    while (!thread.may_end()) raise(StopSignal::number());
  };
  collect_beside(run, mark::scaled(200));
}

// A signal that something else than the handler took is sent once more.
TEST(ThreadRegistry, ASignalThatGetsLostIsSentAgain) {
  const auto run = [](ThreadWithAList& thread) {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, StopSignal::number());
    pthread_sigmask(SIG_BLOCK, &stop, nullptr);
    thread.be_ready();
    int taken = 0;
    EXPECT_EQ(sigwait(&stop, &taken), 0);
    pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
    wait_to_end(thread);
  };
  collect_beside(run, 1);
}

// Most programs with threads have one that does nothing but take signals.
TEST(ThreadRegistry, AThreadThatTakesAllSignalsIsStoppedAllTheSame) {
  ThreadWithAList taking([](ThreadWithAList& thread) {
    const sigset_t all = all_signals();
    const sigset_t allowed = StopSignal::removed_from(all);
    pthread_sigmask(SIG_SETMASK, &allowed, nullptr);
    thread.be_ready();
    int taken = 0;
    while (taken != SIGUSR1) EXPECT_EQ(sigwait(&all, &taken), 0);
  });
  taking.collect_beside_it(5);
  pthread_kill(taking.handle(), SIGUSR1);
}

TEST(ThreadRegistryDeathTest, AThreadThatTakesEverythingEndsTheProgram) {
  const auto take_all_signals = [](std::atomic<bool>& is_deaf) {
    is_deaf.store(true);
    const std::uint64_t all = ~std::uint64_t{0};
    for (;;) syscall(SYS_rt_sigtimedwait, &all, nullptr, nullptr, sizeof all);
  };
  expect_end_beside_a_thread_that_is(take_all_signals,
                                     "cannot stop thread [0-9]+, which has .* taken .* for 1 seconds");
}

// ---- A stop signal that the program uses ----

void handle_nothing(int) {}

auto handler_of(int signal) {
  struct sigaction action {};
  EXPECT_EQ(sigaction(signal, nullptr, &action), 0);
  return action.sa_handler;
}

// Collects beside a thread that runs; the program's action for the signal stays.
void collect_while_the_program_has(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  struct sigaction before {};
  collector().collect();
  ASSERT_EQ(sigaction(signal, &action, &before), 0);
  collect_beside(be_ready_and_wait_to_end, 3);
  ASSERT_EQ(sigaction(signal, &before, &action), 0);
  EXPECT_EQ(action.sa_handler, handler);
}

TEST(ThreadRegistry, TheProgramMayResetTheStopSignal) {
  collect_while_the_program_has(StopSignal::number(), SIG_DFL);
}

TEST(ThreadRegistry, TheProgramMayIgnoreTheStopSignal) {
  collect_while_the_program_has(StopSignal::number(), SIG_IGN);
}

TEST(ThreadRegistry, TheProgramMayHandleTheStopSignal) {
  collect_while_the_program_has(StopSignal::number(), handle_nothing);
}

// A program starts so that a thread executed with a stop signal pending.
TEST(ThreadRegistryDeathTest, WithoutAHandlerTheStopSignalEndsNothing) {
  const auto raise_without_handler = [] {
    std::signal(StopSignal::number(), SIG_DFL);
    raise(StopSignal::number());
    std::_Exit(0);
  };
  EXPECT_EXIT(raise_without_handler(), testing::ExitedWithCode(0), "");
}

TEST(ThreadRegistryDeathTest, AChosenStopSignalMayBeResetToo) {
  expect_success_in_a_new_process([] {
    StopSignal::choose(SIGPWR);
    collect_while_the_program_has(SIGPWR, SIG_DFL);
  });
}

TEST(ThreadRegistryDeathTest, AHandlerThatTheProgramHasAlreadyStays) {
  expect_success_in_a_new_process([] {
    std::signal(StopSignal::number(), handle_nothing);
    collect_with_threads(nullptr);
    EXPECT_EQ(handler_of(StopSignal::number()), handle_nothing);
  });
}

TEST(ThreadRegistryDeathTest, TheStopSignalMayBeChosenBeforehand) {
  expect_success_in_a_new_process([] {
    StopSignal::choose(SIGXCPU);
    collect_with_threads(nullptr);
    StopSignal::choose(SIGUSR2);  // too late
    EXPECT_EQ(StopSignal::number(), SIGXCPU);
    EXPECT_NE(handler_of(SIGXCPU), SIG_DFL);
  });
}

// ---- Threads that vanish ----

pthread_key_t late_key;

// Called at a thread's end as often as the thread library permits, each time after the registry's own.
void use_the_heap_late(void* value) {
  new_link(nullptr, 0);
  pthread_setspecific(late_key, value);
}

// A filter may allow what the program itself needs, and end it for the rest.
TEST(ThreadRegistryDeathTest, StopsThreadsThatAreNotToldTheirNumberOrSignalStack) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer asks itself";
  expect_success_in_a_new_process([] {
    collector().collect();
    ASSERT_TRUE(forbid(SYS_sigaltstack));
    ASSERT_TRUE(deny(SYS_gettid, EPERM));
    Link* volatile list = new_list(kLength);
    std::atomic<bool> is_over{false};
    std::thread other([&] {
      collect_with_a_list();
      is_over.store(true);
    });
    while (!is_over.load()) collect_with_a_list();
    threads().call_blocked(join_one, &other);
    expect_intact(list, kLength);
  });
}

TEST(ThreadRegistry, AThreadThatUsesTheHeapAtItsVeryEndIsForgotten) {
  collector().collect();
  const std::size_t registered = threads().count();
  ASSERT_EQ(pthread_key_create(&late_key, use_the_heap_late), 0);
  on_another_thread([] { pthread_setspecific(late_key, &late_key); });
  EXPECT_EQ(threads().count(), registered + 1);
  collector().collect();
  EXPECT_EQ(threads().count(), registered);
  pthread_key_delete(late_key);
}

// Has the next thread get this number, where the system permits it.
bool give_again(pid_t number) {
  std::ofstream last("/proc/sys/kernel/ns_last_pid");
  last << number - 1 << std::flush;
  return last.good();
}

TEST(ThreadRegistry, AThreadThatVanishedIsForgottenThoughItsNumberIsGivenAgain) {
  collector().collect();
  const std::size_t registered = threads().count();
  ASSERT_EQ(pthread_key_create(&late_key, use_the_heap_late), 0);
  pid_t number = 0;
  on_another_thread([&] {
    number = gettid();
    pthread_setspecific(late_key, &late_key);
  });
  ASSERT_EQ(threads().count(), registered + 1);
  std::atomic<pid_t> given{0};
  std::atomic<bool> may_end{false};
  const bool is_given = give_again(number);
  std::thread stranger([&] {
    given.store(gettid());
    while (!may_end.load()) std::this_thread::yield();
  });
  while (given.load() == 0) std::this_thread::yield();
  if (is_given && given.load() == number) {
    collector().collect();
    EXPECT_EQ(threads().count(), registered);
  }
  may_end.store(true);
  threads().call_blocked(join_one, &stranger);
  pthread_key_delete(late_key);
  if (!is_given || given.load() != number) GTEST_SKIP() << "the number is not given again";
}

}  // namespace
}  // namespace jackdaw::gc
