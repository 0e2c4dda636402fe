// These tests hold guarded loads against what else happens to the signals: the program's own faults, handlers
// and masks. readable_memory_test.cc tests what the loads find.
#include "base/guarded_loads.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <functional>
#include <thread>

#include "base/sanitizers.h"
#include "tests/deny_system_call.h"
#include "tests/scaled.h"

namespace jackdaw::base {
namespace {

thread_local sigjmp_buf way_out;
thread_local const void* handled_address = nullptr;
thread_local bool was_blocked = false;

bool is_blocked(int signal) {
  sigset_t blocked;
  return pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0 && sigismember(&blocked, signal) == 1;
}

void leave(int, siginfo_t* info, void*) {
  handled_address = info->si_addr;
  was_blocked = is_blocked(SIGUSR2);
  siglongjmp(way_out, 1);
}

void ignore_it(int) {}

// Gives SIGSEGV an action for a while.
class Action {
 public:
  explicit Action(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(SIGSEGV, &action, &before_);
  }
  explicit Action(void (*handler)(int, siginfo_t*, void*), int signal_to_block) {
    struct sigaction action {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaddset(&action.sa_mask, signal_to_block);
    sigaction(SIGSEGV, &action, &before_);
  }
  ~Action() { sigaction(SIGSEGV, &before_, nullptr); }
  Action(const Action&) = delete;
  Action& operator=(const Action&) = delete;

  static void (*current())(int) {
    struct sigaction action {};
    sigaction(SIGSEGV, nullptr, &action);
    return action.sa_handler;
  }

 private:
  struct sigaction before_ {};
};

class GuardedLoadsTest : public testing::Test {
 protected:
  GuardedLoadsTest() : page_(mmap(nullptr, page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~GuardedLoadsTest() override { munmap(page_, page_bytes()); }

  static std::size_t page_bytes() { return static_cast<std::size_t>(getpagesize()); }
  [[nodiscard]] volatile char* unreadable() const { return static_cast<volatile char*>(page_); }
  [[nodiscard]] std::uintptr_t unreadable_address() const { return reinterpret_cast<std::uintptr_t>(page_); }

  // Whether the program's handler, leave(), is called for a fault of the calling thread.
  [[nodiscard]] bool is_handled_by_program() const {
    handled_address = nullptr;
    was_blocked = false;
    if (sigsetjmp(way_out, 1) == 0) static_cast<void>(*unreadable());
    return handled_address == page_ && was_blocked;
  }

 private:
  void* page_;
};

TEST_F(GuardedLoadsTest, AreOnInTheirThreadAlone) {
  EXPECT_FALSE(GuardedLoads::are_on());
  {
    const GuardedLoads loads;
    EXPECT_TRUE(GuardedLoads::are_on());
    std::thread([] { EXPECT_FALSE(GuardedLoads::are_on()); }).join();
    const char byte = 0;
    EXPECT_TRUE(GuardedLoads::can_read(reinterpret_cast<std::uintptr_t>(&byte)));
    EXPECT_FALSE(GuardedLoads::can_read(unreadable_address()));
    EXPECT_FALSE(GuardedLoads::can_read(unreadable_address()));
  }
  EXPECT_FALSE(GuardedLoads::are_on());
}

TEST_F(GuardedLoadsTest, LeaveOtherFaultsToTheProgram) {
  const Action action(leave, SIGUSR2);
  {
    const GuardedLoads loads;
    EXPECT_TRUE(is_handled_by_program());
    std::thread([&] { EXPECT_TRUE(is_handled_by_program()); }).join();
    EXPECT_FALSE(GuardedLoads::can_read(unreadable_address()));
  }
  EXPECT_TRUE(is_handled_by_program());
  EXPECT_FALSE(is_blocked(SIGUSR2));
}

TEST_F(GuardedLoadsTest, RestoreTheProgramsAction) {
  const Action action(ignore_it);
  { const GuardedLoads loads; }
  EXPECT_EQ(Action::current(), &ignore_it);
}

TEST_F(GuardedLoadsTest, KeepAnActionThatIsSetMeanwhile) {
  const Action action(SIG_DFL);
  {
    const GuardedLoads loads;
    signal(SIGSEGV, ignore_it);
  }
  EXPECT_EQ(Action::current(), &ignore_it);
}

TEST_F(GuardedLoadsTest, IgnoreASignalThatTheProgramIgnores) {
  const Action action(SIG_IGN);
  const GuardedLoads loads;
  EXPECT_EQ(raise(SIGSEGV), 0);
  EXPECT_FALSE(GuardedLoads::can_read(unreadable_address()));
}

TEST_F(GuardedLoadsTest, LetOtherFaultsEndTheProgram) {
  const auto with_loads = [](const std::function<void()>& run) {
    for (const int one : {SIGSEGV, SIGBUS}) signal(one, SIG_DFL);  // sanitizers have handlers
    const GuardedLoads loads;
    run();
    _exit(0);
  };
  EXPECT_EXIT(with_loads([&] { static_cast<void>(*unreadable()); }), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(with_loads([] { raise(SIGSEGV); }), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(with_loads([] { raise(SIGBUS); }), testing::KilledBySignal(SIGBUS), "");
}

void note_signal(int) { was_blocked = true; }

// The signals arrive where the threads are, most often in a fault of a load from a page that is mapped by it.
TEST_F(GuardedLoadsTest, AreNotMisledBySignalsThatAreSent) {
  const Action action(note_signal);
  constexpr std::size_t kPages = 4096;
  std::atomic<bool> is_done{false};
  std::thread sender([&, receiver = pthread_self()] {
    while (!is_done.load()) pthread_kill(receiver, SIGSEGV);
  });
  std::size_t unread = 0;
  {
    const GuardedLoads loads;
    for (std::size_t round = 0; round < mark::scaled(10); ++round) {
      void* const memory =
          mmap(nullptr, kPages * page_bytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ASSERT_NE(memory, MAP_FAILED);
      for (std::size_t i = 0; i < kPages; ++i)
        unread += GuardedLoads::can_read(reinterpret_cast<std::uintptr_t>(memory) + i * page_bytes()) ? 0 : 1;
      munmap(memory, kPages * page_bytes());
    }
    is_done = true;
    sender.join();
  }
  EXPECT_EQ(unread, 0U);
}

TEST_F(GuardedLoadsTest, CallAHandlerOnceThatIsToBeCalledOnce) {
  const auto crash = [&] {
    struct sigaction action {};
    action.sa_handler = [](int) { static_cast<void>(write(STDERR_FILENO, "once\n", 5)); };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGSEGV, &action, nullptr);
    const GuardedLoads loads;
    static_cast<void>(*unreadable());
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGSEGV), "^once\n$");
}

// A thread that was not stopped saves and restores the action around something of its own.
TEST_F(GuardedLoadsTest, DoNotTakeTheirOwnActionForThePrograms) {
  if (kThreadSanitizer) GTEST_SKIP() << "the sanitizer installs its own handler, which calls the other";
  const Action action(leave, SIGUSR2);
  struct sigaction found {};
  {
    const GuardedLoads loads;
    sigaction(SIGSEGV, nullptr, &found);
  }
  sigaction(SIGSEGV, &found, nullptr);
  {
    const GuardedLoads loads;
    EXPECT_TRUE(is_handled_by_program());
  }
  EXPECT_TRUE(is_handled_by_program());
}

TEST_F(GuardedLoadsTest, AreOffWhereTheThreadBlocksTheSignal) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGBUS);
  std::thread([&] {
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    const GuardedLoads loads;
    EXPECT_FALSE(GuardedLoads::are_on());
  }).join();
}

TEST_F(GuardedLoadsTest, AreOffWhereTheSystemRefusesHandlers) {
  const Action action(ignore_it);
  std::thread([&] {
    ASSERT_TRUE(deny(SYS_rt_sigaction, EPERM));
    const GuardedLoads loads;
    EXPECT_FALSE(GuardedLoads::are_on());
  }).join();
  EXPECT_EQ(Action::current(), &ignore_it);
}

}  // namespace
}  // namespace jackdaw::base
