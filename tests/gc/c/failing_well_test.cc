// Failures of a program, and events at a bad moment, leave the collector intact: finalizers that throw or
// collect, signals in the allocator, memory that runs out.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "gc/c/interface.h"
#include "gc/c/undeclared.h"
#include "tests/address_space_limit.h"
#include "tests/gc/c/hidden.h"
#include "tests/scaled.h"

namespace jackdaw::c_interface {
namespace {

struct Link {
  Link* next;
  std::uint64_t value;
};

// A list of links with the values 0 to `length` - 1; shorter when there is no memory.
[[gnu::noinline]] Link* new_list(std::uint64_t length) {
  Link* list = nullptr;
  for (std::uint64_t value = length; value > 0; --value) {
    auto* const link = static_cast<Link*>(GC_malloc(sizeof(Link)));
    if (link == nullptr) break;
    *link = {list, value - 1};
    list = link;
  }
  return list;
}

bool is_intact(const Link* list, std::uint64_t length) {
  std::uint64_t value = 0;
  for (; list != nullptr && list->value == value; list = list->next) ++value;
  return list == nullptr && value == length;
}

constexpr std::uint64_t kLength = 1000;

void expect_usable() {
  Link* volatile list = new_list(kLength);
  collect();
  new_list(kLength);
  EXPECT_TRUE(is_intact(list, kLength));
}

// ---- Finalizers ----

int finalized = 0;
int collections_in_finalizers = 0;

void register_finalizers(GC_finalization_proc function) {
  drop_many(64, [function](void* object) {
    GC_register_finalizer_no_order(object, function, nullptr, nullptr, nullptr);
  });
}

TEST(FailingWell, AfterFinalizersThatThrowTheOthersAreCalled) {
  GC_set_finalize_on_demand(1);
  register_finalizers([](void*, void*) {
    if (++finalized % 2 == 0) throw std::runtime_error("thrown by a finalizer");
  });
  collect();
  int thrown = 0;
  while (GC_should_invoke_finalizers() != 0) {
    try {
      GC_invoke_finalizers();
    } catch (const std::runtime_error&) {
      if (++thrown == 1) expect_usable();
    }
  }
  EXPECT_GT(thrown, 0);
  EXPECT_EQ(thrown, finalized / 2);
  expect_usable();
}

TEST(FailingWell, AFinalizerMayCollect) {
  register_finalizers([](void* object, void*) {
    constexpr int kEnough = 5;
    if (finalized == kEnough) return;
    ++finalized;
    const GC_word before = GC_get_gc_no();
    GC_gcollect();
    collections_in_finalizers += GC_get_gc_no() > before ? 1 : 0;
    EXPECT_EQ(GC_base(object), object) << "it stays for the call";
    Link* volatile list = new_list(10);
    GC_gcollect();
    EXPECT_TRUE(is_intact(list, 10));
  });
  collect();
  EXPECT_GT(finalized, 0);
  EXPECT_EQ(collections_in_finalizers, finalized);
  expect_usable();
}

// ---- Memory that runs out is told of ----

int warnings = 0;
std::string last_warning;

void count_warning(char* format, GC_word word) {
  ++warnings;
  std::array<char, 200> text;
  std::snprintf(text.data(), text.size(), format, word);
  last_warning = text.data();
}

TEST(FailingWell, MemoryThatRunsOutIsWarnedOfEverMoreSeldom) {
  GC_INIT();
  GC_set_warn_proc(count_warning);
  constexpr std::size_t kTooMuch = std::size_t{1} << 60;
  EXPECT_EQ(GC_malloc(kTooMuch), nullptr);
  EXPECT_EQ(warnings, 1);
  EXPECT_NE(last_warning.find("out of memory"), std::string::npos) << last_warning;
  EXPECT_NE(last_warning.find(std::to_string(kTooMuch)), std::string::npos) << last_warning;
  EXPECT_EQ(GC_malloc_atomic(kTooMuch), nullptr);
  EXPECT_EQ(GC_memalign(64, kTooMuch), nullptr);
  EXPECT_EQ(GC_malloc_uncollectable(kTooMuch), nullptr);
  EXPECT_EQ(warnings, 3);
  for (int i = 4; i < 1000; ++i) EXPECT_EQ(GC_malloc(kTooMuch), nullptr);
  EXPECT_EQ(warnings, 10);
  expect_usable();
}

// ---- Signals ----

std::atomic<std::uint64_t> ticks{0};

// A timer that sends the process a signal again and again.
class Ticking {
 public:
  explicit Ticking(int signal) : signal_(signal) {
    struct sigaction action {};
    action.sa_handler = [](int) { ticks.fetch_add(1); };
    action.sa_flags = SA_RESTART;
    EXPECT_EQ(sigaction(signal, &action, &before_), 0);
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = signal;
    EXPECT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer_), 0);
    constexpr long kNanoseconds = 20'000;
    const itimerspec often{{0, kNanoseconds}, {0, kNanoseconds}};
    EXPECT_EQ(timer_settime(timer_, 0, &often, nullptr), 0);
  }
  ~Ticking() {
    timer_delete(timer_);
    sigaction(signal_, &before_, nullptr);
  }
  Ticking(const Ticking&) = delete;
  Ticking& operator=(const Ticking&) = delete;

 private:
  const int signal_;
  struct sigaction before_ {};
  timer_t timer_{};
};

TEST(FailingWell, SignalsMayComeInTheAllocatorAndInCollections) {
  GC_INIT();
  const Ticking ticking(SIGPROF);
  Link* volatile kept = new_list(kLength);
  const std::uint64_t enough = mark::scaled(3000);
  for (int lists = 0; ticks.load() < enough; ++lists) {
    Link* volatile list = new_list(kLength);
    if (lists % 16 == 0) GC_gcollect();
    ASSERT_TRUE(is_intact(list, kLength));
    ASSERT_TRUE(is_intact(kept, kLength));
    kept = list;
  }
}

// ---- Memory ----

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kLinkBytes = 256;  // more than it needs, so that fewer fill the heap
char of_the_program;
std::size_t refused = 0;

// A list until the program's procedure is asked; how many links there were. It is taken apart in the end: of
// what a stale word somewhere may lead to, a link alone stays.
[[gnu::noinline]] std::uint64_t fill_with_links() {
  Link* list = nullptr;
  std::uint64_t length = 0;
  for (void* object = nullptr;; ++length) {
    object = GC_malloc(kLinkBytes);
    // The compiler takes it that what is allocated is no variable: comparing addresses would tell nothing.
    if (object == nullptr || refused != 0) break;
    auto* const link = static_cast<Link*>(object);
    *link = {list, length};
    list = link;
  }
  const std::uint64_t links = length;
  while (list != nullptr) {
    EXPECT_EQ(list->value, --length);
    list = std::exchange(list->next, nullptr);
  }
  EXPECT_EQ(length, 0U) << "all are there";
  return links;
}

void expect_refusals_and_recovery() {
  EXPECT_GT(fill_with_links(), kMebibyte / kLinkBytes);
  clean_stack();
  expect_usable();
  GC_set_oom_fn([](std::size_t bytes) -> void* {
    refused = bytes;
    return &of_the_program;
  });
  EXPECT_GT(fill_with_links(), kMebibyte / kLinkBytes);
  EXPECT_EQ(refused, kLinkBytes);
  clean_stack();
  expect_usable();
}

TEST(FailingWell, TheHeapsLimitRefusesAndTheProgramGoesOn) {
  GC_set_max_heap_size(32 * kMebibyte);
  GC_INIT();
  expect_refusals_and_recovery();
}

// More than a collection has room to note without asking for memory.
constexpr std::size_t kRoots = 10'000;
std::uint64_t* volatile roots[kRoots];  // NOLINT(modernize-avoid-c-arrays): static data

TEST(FailingWell, CollectionsNeedNoMoreMemoryOnceTheCollectorIsThere) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer needs addresses itself";
  GC_INIT();
  for (std::size_t i = 0; i < kRoots; ++i) {
    roots[i] = static_cast<std::uint64_t*>(GC_malloc(sizeof(std::uint64_t)));
    *roots[i] = i;
  }
  const std::vector<Hidden> dropped = drop_many(64);
  const GC_word before = GC_get_gc_no();
  {
    const AddressSpaceLimit limit(0);
    collect();
    EXPECT_EQ(GC_get_gc_no(), before + 1);
    collect();
    EXPECT_EQ(GC_get_gc_no(), before + 2);
    EXPECT_NE(GC_malloc(sizeof(std::uint64_t)), nullptr) << "of what was freed";
  }
  EXPECT_LT(count_there(dropped), kManyObjects);
  for (std::size_t i = 0; i < kRoots; ++i) {
    EXPECT_EQ(GC_base(roots[i]), roots[i]);
    ASSERT_EQ(*roots[i], i);
  }
}

// In mebibytes, what a program can have of 200 that it may have.
std::size_t usable_of(std::size_t mebibytes) {
  const AddressSpaceLimit limit(mebibytes * kMebibyte);
  GC_INIT();
  std::size_t count = 0;
  while (GC_malloc_uncollectable(kMebibyte / 4 - 16) != nullptr) ++count;
  return count / 4;
}

TEST(FailingWell, MostOfScarceAddressesAreForObjects) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer needs addresses itself";
  // Rounding takes some mebibytes if pages have 64 KiB.
  EXPECT_GE(usable_of(200), getpagesize() > 16'384 ? 175U : 180U);
}

TEST(FailingWell, TheSystemRefusesAndTheProgramGoesOn) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer needs addresses itself";
  const AddressSpaceLimit limit(64 * kMebibyte);
  GC_INIT();
  expect_refusals_and_recovery();
}

// Calls `function(object)` in a thread that cannot be registered, with an object of another.
void call_without_memory(void (*function)(void*)) {
  GC_INIT();
  void* const object = GC_malloc(10 * kMebibyte);
  std::atomic<bool> is_limited{false};
  std::atomic<bool> has_thrown{false};
  std::thread other([&] {
    while (!is_limited) sched_yield();
    try {
      function(object);
    } catch (...) {
      has_thrown = true;
    }
  });
  const AddressSpaceLimit limit(0);
  is_limited = true;
  other.join();
  EXPECT_FALSE(has_thrown);
}

TEST(FailingWell, AThreadThatCannotBeRegisteredIsRefusedMemory) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer needs addresses itself";
  call_without_memory([](void* object) {
    EXPECT_EQ(GC_malloc(16), nullptr);
    EXPECT_EQ(GC_realloc(object, 20 * kMebibyte), nullptr);
    pthread_t thread{};
    EXPECT_EQ(GC_pthread_create(&thread, nullptr, nullptr, nullptr), EAGAIN);
  });
}

TEST(FailingWellDeathTest, AThreadThatCannotBeRegisteredIsTold) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer needs addresses itself";
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  constexpr void (*kFunctions[])(void*) = {
      [](void* object) { GC_free(object); },
      [](void*) {
        void* no_list = nullptr;
        GC_new_kind(&no_list, GC_DS_LENGTH, 1, 1);
      },
      [](void*) { GC_set_max_heap_size(GC_get_heap_size()); },
      [](void*) { GC_incr_bytes_allocd(1); },
      [](void*) { GC_incr_bytes_freed(1); },
      [](void*) { GC_dump_regions(); },
      [](void*) { GC_print_free_list(GC_I_NORMAL, 1); },
  };
  for (void (*const function)(void*) : kFunctions)
    EXPECT_DEATH(call_without_memory(function), "no memory to register a thread");
}

}  // namespace
}  // namespace jackdaw::c_interface
