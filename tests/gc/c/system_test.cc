// The lock, roots, displacements, hooks, dumps, threads and fork through the C interface.
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/page_memory.h"
#include "gc/c/settings.h"
#include "gc/c/start.h"
#include "tests/gc/c/hidden.h"
#include "tests/gc/process/sleeping_thread.h"
#include "tests/scaled.h"

namespace jackdaw::c_interface {
namespace {

TEST(CLock, IsHeldForTheCallAndAfterAnException) {
  static int data = 0;
  EXPECT_EQ(GC_call_with_alloc_lock([](void* of) { return lock_is_free() ? nullptr : of; }, &data), &data);
  EXPECT_THROW(GC_call_with_alloc_lock([](void*) -> void* { throw 1; }, nullptr), int);
  EXPECT_TRUE(lock_is_free());
  GC_alloc_lock();
  EXPECT_FALSE(lock_is_free());
  GC_alloc_unlock();
  EXPECT_TRUE(lock_is_free());
}

TEST(CLock, IsHeldByReadersToo) {
  static int data = 0;
  const auto read = [](void* of) { return lock_is_free() ? nullptr : of; };
  EXPECT_EQ(GC_call_with_reader_lock(read, &data, 0), &data);
  EXPECT_EQ(GC_call_with_reader_lock(read, &data, 1), &data);
  EXPECT_TRUE(lock_is_free());
}

// Looks for a word in what it is given.
struct Search {
  void* wanted;
  std::size_t found = 0;

  [[gnu::no_sanitize_address]] static void look(void** low, void** high, void* of, unsigned hint) {
    EXPECT_EQ(hint, GC_CUSTOM_PUSH_HINT_EAGER);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(low) % sizeof(void*), 0U);
    auto& search = *static_cast<Search*>(of);
    for (void* volatile* word = low; word < high; ++word) search.found += *word == search.wanted ? 1U : 0U;
  }
};

TEST(CStacks, ArePushedForAProgramThatScansThem) {
  static Search search;
  search.wanted = &search.found;
  const auto push = [](GC_stack_base* base, void*) -> void* {
    void* volatile on_the_stack = search.wanted;
    GC_custom_push_regs_and_stack(Search::look, &search, base, nullptr);
    GC_reachable_here(on_the_stack);
    return nullptr;
  };
  GC_call_with_stack_base(push, nullptr);
  EXPECT_GE(search.found, 1U);
}

// Memory that is no root by itself.
class CRoots : public testing::Test {
 protected:
  std::vector<Hidden> put_objects() {
    std::size_t next = 0;
    return drop_many(64, [&](void* object) { slots()[next++] = static_cast<char*>(object) + offset_; });
  }
  void** slots() { return reinterpret_cast<void**>(memory_.data()); }
  void** end() { return slots() + kManyObjects; }

  std::size_t offset_ = 0;
  std::span<std::byte> memory_ = base::PageMemory::allocate(kManyObjects * sizeof(void*));
};

TEST(CStackPointers, MayBeCorrectedFromTheStart) {
  ASSERT_EQ(GC_is_init_called(), 0);
  static int calls = 0;
  GC_set_sp_corrector([](void**, void*) { ++calls; });
  EXPECT_EQ(GC_is_init_called(), 0) << "settings that come before it still count";
  GC_init();
  GC_gcollect();
  EXPECT_GT(calls, 0);
}

// A program with coroutines of its own knows where a thread's references are.
TEST_F(CRoots, AStackIsScannedFromACorrectedPointer) {
  static void* low = nullptr;
  static pthread_t tester;
  const std::vector<Hidden> objects = put_objects();
  low = slots();
  tester = pthread_self();
  GC_stack_base own{};
  GC_get_my_stackbottom(&own);
  const GC_stack_base other{.mem_base = end()};
  GC_alloc_lock();
  GC_set_stackbottom(nullptr, &other);
  GC_alloc_unlock();
  const GC_sp_corrector_proc correct = [](void** pointer, void* thread) {
    if (reinterpret_cast<pthread_t>(thread) == tester) *pointer = low;
  };
  GC_set_sp_corrector(correct);
  EXPECT_EQ(GC_get_sp_corrector(), correct);
  collect();
  EXPECT_EQ(count_there(objects), kManyObjects);
  GC_set_sp_corrector(nullptr);
  collect();
  EXPECT_LT(count_there(objects), kManyObjects / 10);
  GC_alloc_lock();
  GC_set_stackbottom(nullptr, &own);
  GC_alloc_unlock();
}

TEST_F(CRoots, RangesAreScannedUntilTheyAreRemoved) {
  const std::vector<Hidden> objects = put_objects();
  GC_add_roots(slots(), end());
  collect();
  EXPECT_EQ(count_there(objects), kManyObjects);
  GC_remove_roots(slots(), end() - 1);
  collect();
  EXPECT_EQ(count_there(objects), kManyObjects) << "not as a whole";
  GC_remove_roots(slots(), end());
  collect();
  EXPECT_LT(count_there(objects), kManyObjects);
}

void** pushed_from = nullptr;

TEST_F(CRoots, TheProgramNamesMoreInEachCollection) {
  const std::vector<Hidden> objects = put_objects();
  pushed_from = slots();
  static const GC_push_other_roots_proc before = GC_get_push_other_roots();
  ASSERT_NE(before, nullptr);
  GC_set_push_other_roots([] {
    before();
    GC_push_all(pushed_from, pushed_from + kManyObjects / 2);
    GC_push_conditional(pushed_from + kManyObjects / 2, pushed_from + kManyObjects, 0);
  });
  collect();
  EXPECT_EQ(count_there(objects), kManyObjects);
  GC_set_push_other_roots(before);
  collect();
  EXPECT_LT(count_there(objects), kManyObjects);
}

TEST_F(CRoots, WhereNotAllInteriorPointersCountDisplacementsDo) {
  GC_set_all_interior_pointers(0);
  GC_init();
  EXPECT_EQ(GC_get_all_interior_pointers(), 0);
  offset_ = 24;
  GC_add_roots(slots(), end());
  const std::vector<Hidden> lost = put_objects();
  collect();
  EXPECT_LT(count_there(lost), kManyObjects);
  GC_register_displacement(24);
  const std::vector<Hidden> kept = put_objects();
  collect();
  EXPECT_EQ(count_there(kept), kManyObjects);
  char* volatile inside = static_cast<char*>(GC_malloc(64)) + 17;
  collect();
  EXPECT_NE(GC_base(inside), nullptr) << "from a stack all do";
}

TEST(CRootsDeathTest, ADisplacementIsSmall) {
  GC_init();
  EXPECT_DEATH(GC_register_displacement(std::size_t{1} << 20), "GC_register_displacement");
}

std::vector<GC_EventType>& events() {
  static std::vector<GC_EventType> all;
  return all;
}
int starts = 0;
GC_word told_size = 0;

TEST(CHooks, TellTheStepsOfACollection) {
  events().reserve(1000);  // other threads are stopped: no malloc
  GC_set_on_collection_event([](GC_EventType type) {
    EXPECT_FALSE(lock_is_free());
    events().push_back(type);
  });
  GC_set_start_callback([] {
    EXPECT_FALSE(lock_is_free());
    ++starts;
  });
  GC_gcollect();
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(events(),
            (std::vector<GC_EventType>{GC_EVENT_START, GC_EVENT_PRE_STOP_WORLD, GC_EVENT_POST_STOP_WORLD,
                                       GC_EVENT_MARK_START, GC_EVENT_MARK_END, GC_EVENT_RECLAIM_START,
                                       GC_EVENT_RECLAIM_END, GC_EVENT_PRE_START_WORLD,
                                       GC_EVENT_POST_START_WORLD, GC_EVENT_END}));
}

TEST(CHooks, TellTheHeapsSize) {
  GC_set_on_heap_resize([](GC_word bytes) { told_size = bytes; });
  EXPECT_TRUE(GC_expand_hp(100 << 20));
  EXPECT_EQ(told_size, GC_get_heap_size());
}

TEST(CHooks, TheProgramIsGivenWhatItSet) {
  EXPECT_NE(GC_get_warn_proc(), nullptr);
  GC_set_warn_proc(GC_ignore_warn_proc);
  EXPECT_EQ(GC_get_warn_proc(), GC_ignore_warn_proc);
  const GC_abort_func abort_func = [](const char*) {};
  EXPECT_NE(GC_get_abort_func(), nullptr);
  GC_set_abort_func(abort_func);
  EXPECT_EQ(GC_get_abort_func(), abort_func);
  EXPECT_EQ(GC_get_oom_fn()(1), nullptr);
}

TEST(CHooksDeathTest, ExhaustedMemoryEndsTheProgram) {
  EXPECT_EXIT(GC_abort_on_oom(), testing::ExitedWithCode(1), "memory is exhausted");
}

std::string dumped(void (*dump)()) {
  std::array<int, 2> pipe_ends;
  EXPECT_EQ(pipe(pipe_ends.data()), 0);
  GC_set_log_fd(pipe_ends[1]);
  dump();
  GC_set_log_fd(STDERR_FILENO);
  close(pipe_ends[1]);
  std::string text(1 << 16, '\0');
  std::size_t length = 0;
  for (ssize_t got = 0; (got = read(pipe_ends[0], text.data() + length, text.size() - length)) > 0;)
    length += static_cast<std::size_t>(got);
  close(pipe_ends[0]);
  text.resize(length);
  return text;
}

TEST(CDumps, GoToTheLog) {
  void* const large = GC_malloc(100'000);
  void* link = large;
  GC_general_register_disappearing_link(&link, large);
  GC_register_finalizer(
      large, [](void*, void*) {}, nullptr, nullptr, nullptr);
  EXPECT_NE(dumped(GC_dump).find("finalizers 1, short links 1"), std::string::npos);
  EXPECT_NE(dumped([] { GC_dump_named("here"); }).find("here"), std::string::npos);
  EXPECT_NE(dumped(GC_dump_regions).find("large object of 1000"), std::string::npos);
  EXPECT_NE(dumped(GC_dump_finalization).find("short links: 1"), std::string::npos);
}

void* return_object(void* argument) {
  EXPECT_NE(GC_thread_is_registered(), 0);
  EXPECT_EQ(GC_base(argument), argument);
  return std::memset(GC_malloc(64), 42, 64);
}

TEST(CPthreads, ResultsAreKeptUntilTheyAreJoined) {
  std::array<pthread_t, 10> threads;
  for (pthread_t& thread : threads)
    ASSERT_EQ(GC_pthread_create(&thread, nullptr, return_object, GC_malloc(16)), 0);
  for (int i = 0; i < 5; ++i) GC_gcollect();
  for (const pthread_t thread : threads) {
    void* result = nullptr;
    GC_gcollect();
    for (int i = 0; i < 1000; ++i) GC_malloc(64);
    ASSERT_EQ(GC_pthread_join(thread, &result), 0);
    EXPECT_EQ(GC_base(result), result);
    EXPECT_EQ(static_cast<char*>(result)[63], 42);
  }
}

// How many arenas malloc has.
std::size_t count_arenas() {
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* const file = open_memstream(&text, &length);
  malloc_info(0, file);
  std::fclose(file);
  std::size_t arenas = 0;
  for (const char* at = text; (at = std::strstr(at, "<heap nr=")) != nullptr; ++at) ++arenas;
  std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): open_memstream's
  return arenas;
}

// Where addresses are limited, an arena for each thread would leave none for the heap.
TEST(CPthreads, NeedNoArenaOfMalloc) {
#if !defined(__x86_64__) || !defined(__GLIBC__)
  GTEST_SKIP() << "the thread library is asked for the stack";
#endif
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  static std::atomic<int> ready;
  static std::atomic<bool> may_end;
  ready = 0;
  may_end = false;
  GC_gcollect();
  const std::size_t before = count_arenas();
  std::array<pthread_t, 4> threads;
  const auto allocate = [](void*) -> void* {
    EXPECT_NE(GC_malloc(64), nullptr);
    ++ready;
    while (!may_end) sched_yield();
    return nullptr;
  };
  for (pthread_t& thread : threads) ASSERT_EQ(GC_pthread_create(&thread, nullptr, allocate, nullptr), 0);
  while (ready != 4) sched_yield();
  EXPECT_EQ(count_arenas(), before);
  may_end = true;
  for (const pthread_t thread : threads) ASSERT_EQ(GC_pthread_join(thread, nullptr), 0);
}

pthread_key_t key_of_object;

// Holds an object in each of many frames, and, while it collects in the last one, one by a key alone.
[[gnu::noinline]] bool is_kept_in_each_of(int frames) {
  void** volatile object = static_cast<void**>(GC_malloc(64));
  object[7] = reinterpret_cast<void*>(~reinterpret_cast<std::uintptr_t>(object));
  if (frames == 0) {
    for (int i = 0; i < 3; ++i) GC_gcollect();
    for (int i = 0; i < 1000; ++i) GC_malloc(64);
    auto** const of_key = static_cast<void**>(pthread_getspecific(key_of_object));
    if (of_key[7] != of_key + 1) return false;
  } else if (!is_kept_in_each_of(frames - 1)) {
    return false;
  }
  return object[7] == reinterpret_cast<void*>(~reinterpret_cast<std::uintptr_t>(object));
}

// Returns where the calling thread's stack ends, as the thread library knows it.
void* end_of_stack() {
  pthread_attr_t attributes;
  EXPECT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
  void* begin = nullptr;
  std::size_t bytes = 0;
  EXPECT_EQ(pthread_attr_getstack(&attributes, &begin, &bytes), 0);
  pthread_attr_destroy(&attributes);
  return static_cast<std::byte*>(begin) + bytes;
}

void* recurse(void* frames) {
  GC_stack_base bottom{};
  GC_get_my_stackbottom(&bottom);
  EXPECT_EQ(bottom.mem_base, end_of_stack());
  auto** const of_key = static_cast<void**>(GC_malloc(64));
  of_key[7] = of_key + 1;
  pthread_setspecific(key_of_object, of_key);
  EXPECT_TRUE(is_kept_in_each_of(*static_cast<int*>(frames)));
  return nullptr;
}

TEST(CPthreads, StacksAreRootsAsLargeAsTheyAre) {
  GC_init();
  ASSERT_EQ(pthread_key_create(&key_of_object, nullptr), 0);
  constexpr std::size_t kBytes = 1 << 20;
  const std::span<std::byte> memory = base::PageMemory::allocate(kBytes);
  ASSERT_FALSE(memory.empty());
  for (const auto& [bytes, own, frames] :
       {std::tuple{0, false, 5000}, {1 << 18, false, 500}, {0, true, 2000}}) {
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    if (bytes != 0) {
      ASSERT_EQ(pthread_attr_setstacksize(&attributes, static_cast<std::size_t>(bytes)), 0);
    }
    if (own) {
      ASSERT_EQ(pthread_attr_setstack(&attributes, memory.data(), kBytes), 0);
    }
    int depth = frames;
    pthread_t thread;
    ASSERT_EQ(GC_pthread_create(&thread, bytes != 0 || own ? &attributes : nullptr, recurse, &depth), 0);
    ASSERT_EQ(GC_pthread_join(thread, nullptr), 0);
    pthread_attr_destroy(&attributes);
  }
  base::PageMemory::release(memory);
  pthread_key_delete(key_of_object);
}

TEST(CPthreads, ExitAndCancelUnregister) {
  const std::size_t registered = (GC_init(), collector().threads().count());
  pthread_t thread;
  void* const object = GC_malloc(16);
  ASSERT_EQ(GC_pthread_create(
                &thread, nullptr, [](void* of) -> void* { GC_pthread_exit(of); }, object),
            0);
  void* result = nullptr;
  ASSERT_EQ(GC_pthread_join(thread, &result), 0);
  EXPECT_EQ(result, object);
  const auto wait = [](void*) -> void* {
    for (;;) pause();
  };
  ASSERT_EQ(GC_pthread_create(&thread, nullptr, wait, nullptr), 0);
  GC_gcollect();
  ASSERT_EQ(GC_pthread_cancel(thread), 0);
  ASSERT_EQ(GC_pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_EQ(collector().threads().count(), registered);
}

struct Pair {
  Pair* left;
  Pair* right;
};

Pair* new_tree(int depth) {
  if (depth == 0) return nullptr;
  auto* const pair = static_cast<Pair*>(GC_malloc(sizeof(Pair)));
  pair->left = new_tree(depth - 1);
  pair->right = new_tree(depth - 1);
  return pair;
}

std::size_t count_pairs(const Pair* tree) {
  return tree == nullptr ? 0 : 1 + count_pairs(tree->left) + count_pairs(tree->right);
}

// The collecting thread waits for mark threads, and calls callbacks, while the others are stopped.
TEST(CPthreads, NobodyIsCancelledInTheMidstOfACollection) {
  constexpr int kDepth = 15;
  static std::atomic<int> collections;
  const auto collect_for_ever = [](void*) -> void* {
    for (;;) {
      GC_gcollect();
      ++collections;
      pthread_testcancel();
    }
  };
  const std::size_t registered = (GC_init(), collector().threads().count());
  Pair* volatile tree = new_tree(kDepth);
  GC_set_on_collection_event([](GC_EventType) { pthread_testcancel(); });
  for (int turn = 0; turn < 10; ++turn) {
    collections = 0;
    pthread_t thread;
    ASSERT_EQ(GC_pthread_create(&thread, nullptr, collect_for_ever, nullptr), 0);
    while (collections < 2) sched_yield();
    ASSERT_EQ(GC_pthread_cancel(thread), 0);
    void* result = nullptr;
    ASSERT_EQ(GC_pthread_join(thread, &result), 0);
    EXPECT_EQ(result, PTHREAD_CANCELED);
    GC_gcollect();
    EXPECT_EQ(count_pairs(tree), (std::size_t{1} << kDepth) - 1);
  }
  EXPECT_EQ(collector().threads().count(), registered);
  GC_set_on_collection_event(nullptr);
}

// Cancels threads at a step of a collection that stops them.
class CPthreadsCancelled : public testing::TestWithParam<GC_EventType> {
 protected:
  void SetUp() override {
    GC_init();
    cancel_one(false);  // the first time the C library loads what it needs
    when_ = GetParam();
    GC_set_on_collection_event([](GC_EventType type) {
      if (type == GC_EVENT_PRE_START_WORLD) is_stopped_ = false;
      if (type == when_ && is_ready_) pthread_cancel(thread_);
      if (type == GC_EVENT_POST_STOP_WORLD) {
        is_stopped_ = true;
        for (int i = 0; i < 100; ++i) sched_yield();  // to threads that are not stopped
      }
    });
  }
  void TearDown() override { GC_set_on_collection_event(nullptr); }

  [[noreturn]] static void sleep_for_ever() {
    for (;;) sleep(1000);
  }
  // A function with calls may end the program when it is cancelled between two, or in one that is noexcept.
  // This one has none.
  [[noreturn]] static void compute_for_ever() {
    for (;;) asm volatile("");
  }
  // Cancels a thread that sleeps, or one that computes and may be cancelled anywhere.
  static void cancel_one(bool anywhere) {
    const auto wait_to_be_cancelled = [](void* is_anywhere) -> void* {
      // The compiler must not see which function is called: it would know that one throws nothing.
      void (*volatile wait)() = is_anywhere != nullptr ? compute_for_ever : sleep_for_ever;
      pthread_cleanup_push([](void*) { runs_meanwhile_ += is_stopped_ ? 1 : 0; }, nullptr);
      is_ready_ = true;
      if (is_anywhere != nullptr) pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
      wait();
      pthread_cleanup_pop(0);
      return nullptr;
    };
    ASSERT_EQ(GC_pthread_create(&thread_, nullptr, wait_to_be_cancelled, anywhere ? &thread_ : nullptr), 0);
    while (!is_ready_) sched_yield();
    GC_gcollect();
    pthread_cancel(thread_);
    GC_gcollect();
    void* result = nullptr;
    ASSERT_EQ(GC_pthread_join(thread_, &result), 0);
    ASSERT_EQ(result, PTHREAD_CANCELED);
    is_ready_ = false;
  }

  static inline GC_EventType when_;
  static inline pthread_t thread_;
  static inline std::atomic<bool> is_ready_{false};
  static inline std::atomic<bool> is_stopped_{false};
  static inline std::atomic<int> runs_meanwhile_{0};
};

TEST_P(CPthreadsCancelled, EndOutsideOfCollectionsAndHoldUpNone) {
  const std::size_t registered = collector().threads().count();
  for (std::size_t i = 0; i < mark::scaled(300); ++i) cancel_one(i % 2 == 0);
  EXPECT_EQ(runs_meanwhile_, 0);
  EXPECT_EQ(collector().threads().count(), registered);
}

INSTANTIATE_TEST_SUITE_P(AtSteps, CPthreadsCancelled,
                         testing::Values(GC_EVENT_END, GC_EVENT_PRE_STOP_WORLD, GC_EVENT_POST_STOP_WORLD),
                         [](const auto& when) {
                           if (when.param == GC_EVENT_END) return "afterwards";
                           return when.param == GC_EVENT_PRE_STOP_WORLD ? "before_the_stop" : "in_the_stop";
                         });

TEST(CPthreads, DetachedOnesEndByThemselves) {
  static std::atomic<bool> is_over{false};
  pthread_t thread;
  const auto run = [](void*) -> void* {
    is_over = true;
    return nullptr;
  };
  ASSERT_EQ(GC_pthread_create(&thread, nullptr, run, nullptr), 0);
  ASSERT_EQ(GC_pthread_detach(thread), 0);
  while (!is_over) std::this_thread::yield();
  while (collector().threads().count() != 1) std::this_thread::yield();
  GC_gcollect();
}

TEST(CPthreads, TheStopSignalStaysUnblocked) {
  GC_init();
  sigset_t all;
  sigset_t blocked;
  sigfillset(&all);
  ASSERT_EQ(GC_pthread_sigmask(SIG_BLOCK, &all, nullptr), 0);
  ASSERT_EQ(GC_pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
  EXPECT_EQ(sigismember(&blocked, GC_get_suspend_signal()), 0);
  EXPECT_EQ(sigismember(&blocked, SIGUSR1), 1);
  sigemptyset(&all);
  ASSERT_EQ(GC_pthread_sigmask(SIG_SETMASK, &all, nullptr), 0);
}

TEST(CThreads, RegisterThemselves) {
  GC_allow_register_threads();
  std::thread([] {
    EXPECT_EQ(GC_thread_is_registered(), 0);
    GC_call_with_stack_base(
        [](GC_stack_base* base, void*) -> void* {
          EXPECT_EQ(GC_register_my_thread(base), GC_SUCCESS);
          EXPECT_EQ(GC_register_my_thread(base), GC_DUPLICATE);
          GC_stack_base end;
          EXPECT_NE(GC_get_my_stackbottom(&end), nullptr);
          EXPECT_EQ(end.mem_base, base->mem_base);
          void* volatile object = GC_malloc(64);
          collect();
          EXPECT_EQ(GC_base(object), object);
          return nullptr;
        },
        nullptr);
    EXPECT_EQ(GC_unregister_my_thread(), GC_SUCCESS);
    EXPECT_EQ(GC_thread_is_registered(), 0);
  }).join();
}

int stopped = 0;
int resumed = 0;

TEST(CThreads, TheProgramIsToldOfThoseThatAreStopped) {
  GC_set_on_thread_event([](GC_EventType type, void* thread) {
    EXPECT_NE(thread, nullptr);
    ++(type == GC_EVENT_THREAD_SUSPENDED ? stopped : resumed);
  });
  static std::atomic<bool> may_end{false};
  pthread_t thread;
  const auto wait = [](void*) -> void* {
    while (!may_end) std::this_thread::yield();
    return nullptr;
  };
  ASSERT_EQ(GC_pthread_create(&thread, nullptr, wait, nullptr), 0);
  GC_gcollect();
  EXPECT_EQ(stopped, 1);
  EXPECT_EQ(resumed, 1);
  may_end = true;
  ASSERT_EQ(GC_pthread_join(thread, nullptr), 0);
}

TEST(CThreads, BlockedOnesReturnWhatTheirFunctionsDo) {
  GC_init();
  void* volatile object = GC_malloc(64);
  const auto active = [](void* of) -> void* {
    GC_gcollect();
    return GC_base(of);
  };
  const auto blocked = [](void* of) -> void* { return GC_call_with_gc_active(+decltype(active)(), of); };
  EXPECT_EQ(GC_do_blocking(blocked, object), object);
}

TEST(CThreads, TheWorldStopsAndGoesOn) {
  static std::atomic<std::uint64_t> turns{0};
  static std::atomic<bool> may_end{false};
  pthread_t thread;
  const auto turn = [](void*) -> void* {
    while (!may_end) ++turns;
    return nullptr;
  };
  ASSERT_EQ(GC_pthread_create(&thread, nullptr, turn, nullptr), 0);
  GC_stop_world_external();
  const std::uint64_t before = turns;
  for (int i = 0; i < 1000; ++i) sched_yield();
  EXPECT_EQ(turns, before);
  GC_start_world_external();
  while (turns == before) sched_yield();
  may_end = true;
  ASSERT_EQ(GC_pthread_join(thread, nullptr), 0);
}

TEST(CThreads, MarkersAreSetBeforeTheStart) {
  GC_set_markers_count(3);
  GC_init();
  EXPECT_EQ(GC_get_parallel(), 2);
  EXPECT_EQ(GC_parallel, 2);
  GC_start_mark_threads();
  GC_gcollect();
  EXPECT_EQ(GC_get_gc_no(), 1U);
}

void expect_child_collects(void (*prepare)(), void (*parent)(), void (*child)()) {
  void* volatile object = GC_malloc(64);
  prepare();
  const pid_t process = fork();
  if (process == 0) {
    child();
    GC_gcollect();
    _exit(GC_base(object) == object ? 0 : 1);
  }
  parent();
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
  GC_gcollect();
}

TEST(CFork, TheChildMayUseTheHeap) {
  GC_set_handle_fork(1);
  expect_child_collects(GC_atfork_prepare, GC_atfork_parent, GC_atfork_child);
}

TEST(CFork, TheProgramMayCareForItItself) {
  GC_set_handle_fork(-1);
  expect_child_collects(GC_atfork_prepare, GC_atfork_parent, GC_atfork_child);
}

// Whether a thread is in the midst of GC_init, or a fork has come while it was.
std::atomic<bool> is_starting{false};
std::atomic<bool> has_forked{false};
std::atomic<pid_t> forking_thread{0};

// Makes the engine, which is a part of GC_init, when a fork is over or waits for it to be made.
std::unique_ptr<gc::MarkEngine> make_during_fork(const gc::MarkingOptions& options) {
  if (!is_starting.exchange(true)) {
    while (!has_forked && !gc::sleeps(forking_thread)) sched_yield();
  }
  return gc::make_mark_engine(options);
}

TEST(CFork, AChildOfAForkDuringTheStartMayUseTheHeap) {
  if (mark::kSanitized) GTEST_SKIP() << "a child may inherit the locks of the sanitizer's malloc";
  initial_options().marking.make = make_during_fork;
  GC_set_handle_fork(1);
  forking_thread = gettid();
  std::thread starting(GC_init);
  while (!is_starting) sched_yield();
  const pid_t process = fork();
  if (process == 0) {
    alarm(60);  // in place of waiting for ever
    void* volatile object = GC_malloc(64);
    GC_gcollect();
    _exit(GC_base(object) == object ? 0 : 1);
  }
  has_forked = true;
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
  starting.join();
  EXPECT_NE(GC_malloc(64), nullptr);
}

}  // namespace
}  // namespace jackdaw::c_interface
