// The functions that a program may call in its callbacks: with the collector's lock held, and with the
// program's threads stopped, all that libgc's documentation or source says take no lock; in callbacks that
// are called without the lock, all.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "gc/c/log.h"
#include "gc/process/threads/fake_stack.h"
#include "tests/gc/c/hidden.h"

namespace jackdaw::c_interface {
namespace {

// The objects and handles that the callbacks use.
struct Known {
  void* object = nullptr;  // of 64 bytes
  GC_stack_base stack{};
  void* other_thread = nullptr;  // its handle
  GC_stack_base others_stack{};
  int null_device = -1;
};
Known known;

std::atomic<int> visits{0};

void ask_about_objects() {
  void* object = known.object;
  char* inside = static_cast<char*>(object) + 8;
  EXPECT_EQ(GC_base(inside), object);
  EXPECT_EQ(GC_is_heap_ptr(inside), 1);
  EXPECT_GE(GC_size(object), 64U);
  std::size_t bytes = 0;
  EXPECT_EQ(GC_get_kind_and_size(object, &bytes), GC_I_NORMAL);
  EXPECT_EQ(bytes, GC_size(object));
  EXPECT_EQ(GC_same_obj(inside, object), inside);
  EXPECT_EQ(GC_is_visible(inside), inside);
  EXPECT_EQ(GC_is_valid_displacement(object), object);
  void* moved = inside;
  EXPECT_EQ(GC_pre_incr(&moved, 8), inside + 8);
  EXPECT_EQ(GC_post_incr(&moved, -8), inside + 8);
  GC_ptr_store_and_dirty(inside, object);
  GC_debug_ptr_store_and_dirty(inside, object);
  GC_end_stubborn_change(object);
  GC_debug_end_stubborn_change(object);
  GC_change_stubborn(object);
  GC_debug_change_stubborn(object);
  EXPECT_EQ(GC_clear_stack(object), object);
  EXPECT_NE(GC_get_debug_header_size(), 0U);
}

void change_settings_to_what_they_are() {
  GC_set_free_space_divisor(GC_get_free_space_divisor());
  GC_set_dont_expand(GC_get_dont_expand());
  GC_set_max_retries(GC_get_max_retries());
  GC_set_non_gc_bytes(GC_get_non_gc_bytes());
  GC_set_min_bytes_allocd(GC_get_min_bytes_allocd());
  GC_set_allocd_bytes_per_finalizer(GC_get_allocd_bytes_per_finalizer());
  GC_set_dont_precollect(GC_get_dont_precollect());
  GC_set_pages_executable(GC_get_pages_executable());
  GC_set_full_freq(GC_get_full_freq());
  GC_set_time_limit(GC_get_time_limit());
  GC_set_time_limit_tv(GC_get_time_limit_tv());
  GC_set_rate(GC_get_rate());
  GC_set_max_prior_attempts(GC_get_max_prior_attempts());
  GC_set_manual_vdb_allowed(GC_get_manual_vdb_allowed());
  GC_set_force_unmap_on_gcollect(GC_get_force_unmap_on_gcollect());
  GC_set_finalize_on_demand(GC_get_finalize_on_demand());
  GC_set_java_finalization(GC_get_java_finalization());
  GC_set_find_leak(GC_get_find_leak());
  GC_set_no_dls(GC_get_no_dls());
  GC_set_push_other_roots(GC_get_push_other_roots());
  GC_set_log_fd(known.null_device);
  GC_set_suspend_signal(GC_get_suspend_signal());
  GC_set_thr_restart_signal(GC_get_thr_restart_signal());
  GC_set_markers_count(2);
  GC_set_handle_fork(1);
  GC_set_max_heap_size(0);
  GC_start_performance_measurement();
}

void use_what_later_releases_added() {
  GC_set_mprotect_vdb_allowed(GC_get_mprotect_vdb_allowed());
  EXPECT_NE(GC_get_supported_vdbs(), 0U);
  GC_get_actual_vdb();
  GC_set_same_obj_print_proc(GC_get_same_obj_print_proc());
  GC_set_is_visible_print_proc(GC_get_is_visible_print_proc());
  GC_set_is_valid_displacement_print_proc(GC_get_is_valid_displacement_print_proc());
  GC_set_pointer_mask(GC_get_pointer_mask());
  GC_set_pointer_shift(GC_get_pointer_shift());
  EXPECT_EQ(GC_get_dont_add_byte_at_end(), 0);
  GC_noop1_ptr(known.object);
  GC_get_full_gc_total_ns_frac();
  GC_get_stopped_mark_total_time();
  EXPECT_LE(GC_count_set_marks_in_hblk(known.object), GC_get_hblk_size() / 64);
  EXPECT_EQ(GC_is_black_listed(nullptr, 1), nullptr);
  const auto count_block = [](GC_hblk_s*, void* count) { ++*static_cast<int*>(count); };
  const auto count_free = [](GC_hblk_s*, int, void* count) { ++*static_cast<int*>(count); };
  const auto count_section = [](void*, void*, GC_heap_section_type, void* count) {
    ++*static_cast<int*>(count);
  };
  int used = 0;
  int free = 0;
  int sections = 0;
  GC_apply_to_all_blocks(count_block, &used);
  GC_iterate_free_hblks(count_free, &free);
  GC_foreach_heap_section_inner(count_section, &sections);
  EXPECT_GT(used, 0);
  EXPECT_GT(sections, used);
}

void read_statistics() {
  const std::size_t heap_bytes = GC_get_heap_size();
  EXPECT_NE(heap_bytes, 0U);
  EXPECT_LE(GC_get_free_bytes(), heap_bytes);
  EXPECT_LE(GC_get_bytes_since_gc(), GC_get_total_bytes());
  EXPECT_GE(GC_get_obtained_from_os_bytes(), heap_bytes);
  GC_get_unmapped_bytes();
  GC_get_expl_freed_bytes_since_gc();
  GC_prof_stats_s all;
  EXPECT_EQ(GC_get_prof_stats_unsafe(&all, sizeof all), sizeof all);
  EXPECT_EQ(all.gc_no, GC_get_gc_no());
  EXPECT_GE(GC_get_size_map_at(64), 64U);
  EXPECT_EQ(GC_is_disabled(), 0);
  EXPECT_LE(GC_is_incremental_mode(), 1);
  EXPECT_EQ(GC_incremental_protection_needs(), GC_PROTECTS_NONE);
  EXPECT_EQ(GC_is_init_called(), 1);
  EXPECT_NE(GC_get_version(), 0U);
  EXPECT_EQ(GC_get_all_interior_pointers(), 1);
  EXPECT_GE(GC_get_parallel(), 0);
  GC_should_invoke_finalizers();
  GC_get_full_gc_total_time();
}

void dump() {
  GC_dump_named("in a callback");
  GC_dump_regions();
  GC_dump_finalization();
}

// Kinds and mark procedures are few, and the callbacks many.
void use_what_needs_the_lock() {
  void** const lists = GC_new_free_list_inner();
  ASSERT_NE(lists, nullptr);
  if (visits == 0) {
    const GC_mark_proc procedure = [](GC_word*, GC_ms_entry* top, GC_ms_entry*, GC_word) { return top; };
    EXPECT_NE(GC_new_kind_inner(lists, GC_MAKE_PROC(GC_new_proc_inner(procedure), 0), 0, 1), 0U);
  }
  if (GC_is_marked(known.object) != 0) {
    GC_clear_mark_bit(known.object);
    EXPECT_EQ(GC_is_marked(known.object), 0);
    GC_set_mark_bit(known.object);
  }
  GC_enumerate_reachable_objects_inner([](void* object, std::size_t, void*) { EXPECT_NE(object, nullptr); },
                                       nullptr);
}

void tell_about_roots_and_stacks() {
  GC_set_stackbottom(nullptr, &known.stack);
  GC_set_stackbottom(known.other_thread, &known.others_stack);
  GC_stack_base base{};
  EXPECT_EQ(GC_get_stack_base(&base), GC_SUCCESS);
  const auto return_it = [](GC_stack_base*, void* of) -> void* { return of; };
  EXPECT_EQ(GC_call_with_stack_base(return_it, &base), &base);
  GC_clear_exclusion_table();
  GC_register_has_static_roots_callback(nullptr);
  sigset_t blocked;
  EXPECT_EQ(GC_pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
}

void use_what_takes_no_lock() {
  ask_about_objects();
  change_settings_to_what_they_are();
  use_what_later_releases_added();
  read_statistics();
  dump();
  use_what_needs_the_lock();
  tell_about_roots_and_stacks();
  ++visits;
}

// ---- With the lock held ----

/// A place where the program's functions are called with the lock held.
struct Place {
  const char* name;
  void (*visit)();
};

void ignore_finalizer(void*, void*) {}

void drop_objects_with_finalizers() {
  drop_many(64, [](void* object) {
    GC_register_finalizer_no_order(object, ignore_finalizer, nullptr, nullptr, nullptr);
  });
}

constexpr std::array kPlaces{
    Place{"start_callback",
          [] {
            GC_set_start_callback(use_what_takes_no_lock);
            GC_gcollect();
            GC_set_start_callback(nullptr);
          }},
    Place{"collection_event",
          [] {
            GC_set_on_collection_event([](GC_EventType) { use_what_takes_no_lock(); });
            GC_gcollect();
            GC_set_on_collection_event(nullptr);
          }},
    Place{"thread_event",
          [] {
            GC_set_on_thread_event([](GC_EventType, void*) { use_what_takes_no_lock(); });
            GC_gcollect();
            GC_set_on_thread_event(nullptr);
          }},
    Place{"push_other_roots",
          [] {
            static GC_push_other_roots_proc before = GC_get_push_other_roots();
            GC_set_push_other_roots([] {
              use_what_takes_no_lock();
              std::array<void*, 2> objects{known.object, known.object};
              GC_push_all(objects.data(), objects.data() + objects.size());
              GC_push_all_eager(objects.data(), objects.data() + objects.size());
              GC_push_conditional(objects.data(), objects.data() + objects.size(), 1);
              GC_push_finalizer_structures();
              before();
            });
            GC_gcollect();
            GC_set_push_other_roots(before);
          }},
    Place{"stop_func",
          [] {
            const GC_stop_func never = [] {
              use_what_takes_no_lock();
              return 0;
            };
            EXPECT_EQ(GC_try_to_collect(never), 1);
          }},
    Place{"has_static_roots",
          [] {
            GC_register_has_static_roots_callback([](const char*, void*, std::size_t) {
              use_what_takes_no_lock();
              return 1;
            });
            GC_gcollect();
          }},
    Place{"on_heap_resize",
          [] {
            GC_set_on_heap_resize([](GC_word) { use_what_takes_no_lock(); });
            EXPECT_EQ(GC_expand_hp(std::size_t{64} << 20), 1);
            GC_set_on_heap_resize(nullptr);
          }},
    Place{"on_os_get_mem",
          [] {
            GC_set_on_os_get_mem([](void*, std::size_t) { use_what_takes_no_lock(); });
            EXPECT_EQ(GC_expand_hp(std::size_t{64} << 20), 1);
            GC_set_on_os_get_mem(nullptr);
          }},
    Place{"on_mark_stack_empty",
          [] {
            GC_set_on_mark_stack_empty([](GC_ms_entry* top, GC_ms_entry* limit) {
              use_what_takes_no_lock();
              top = GC_ms_push_all(&known.object, &known.object + 1, top, limit);
              return GC_MARK_AND_PUSH(known.object, top, limit, nullptr);
            });
            GC_gcollect();
            GC_set_on_mark_stack_empty(nullptr);
          }},
    Place{"toggleref_func",
          [] {
            GC_set_toggleref_func([](void*) {
              use_what_takes_no_lock();
              return GC_TOGGLE_REF_DROP;
            });
            GC_toggleref_add(known.object, 0);
            GC_gcollect();
            GC_set_toggleref_func(nullptr);
          }},
    Place{"await_finalize",
          [] {
            GC_set_await_finalize_proc([](void*) { use_what_takes_no_lock(); });
            drop_objects_with_finalizers();
            collect();
            GC_set_await_finalize_proc(nullptr);
          }},
    Place{"call_with_alloc_lock",
          [] {
            const GC_fn_type use = [](void* of) -> void* {
              use_what_takes_no_lock();
              return of;
            };
            EXPECT_EQ(GC_call_with_alloc_lock(use, known.object), known.object);
          }},
    Place{"alloc_lock",
          [] {
            GC_alloc_lock();
            use_what_takes_no_lock();
            GC_alloc_unlock();
          }},
    Place{"stop_world_external",
          [] {
            GC_stop_world_external();
            use_what_takes_no_lock();
            GC_start_world_external();
          }},
};

// With another thread, which computes.
template <typename Base>
class WithAnotherThread : public Base {
 protected:
  void SetUp() override {
    alarm(60);  // what hangs, fails
    GC_INIT();
    known.null_device = open("/dev/null", O_WRONLY);
    GC_set_log_fd(known.null_device);
    known.object = GC_malloc(64);
    GC_get_my_stackbottom(&known.stack);
    const auto compute = [](void*) -> void* {
      void* volatile object = GC_malloc(64);
      known.other_thread = GC_get_my_stackbottom(&known.others_stack);
      computes_ = true;
      while (computes_) {
      }
      EXPECT_EQ(GC_base(object), object);
      return nullptr;
    };
    ASSERT_EQ(GC_pthread_create(&thread_, nullptr, compute, nullptr), 0);
    while (!computes_) sched_yield();
    visits = 0;
  }
  void TearDown() override {
    computes_ = false;
    EXPECT_EQ(GC_pthread_join(thread_, nullptr), 0);
    EXPECT_GT(visits, 0);
    EXPECT_EQ(GC_base(known.object), known.object);
    GC_set_log_fd(STDERR_FILENO);
    close(known.null_device);
  }

 private:
  static inline std::atomic<bool> computes_{false};
  pthread_t thread_{};
};

class CCallbacksWithTheLock : public WithAnotherThread<testing::TestWithParam<Place>> {};

TEST_P(CCallbacksWithTheLock, MayCallWhatTakesNoLock) { GetParam().visit(); }

INSTANTIATE_TEST_SUITE_P(Places, CCallbacksWithTheLock, testing::ValuesIn(kPlaces),
                         [](const auto& place) { return place.param.name; });

// ---- Allocation with the lock held ----

// Each word of a static table leads to an object that leads to one more, whose second word is the number.
constexpr std::size_t kMostMade = 2000;
std::array<void**, kMostMade> made{};
std::size_t made_count = 0;

// Makes objects that take many blocks, whatever the budget is.
void make_objects() {
  ++visits;
  for (int i = 0; i < 20 && made_count < kMostMade; ++i) {
    auto** const object = static_cast<void**>(GC_malloc(i % 10 == 0 ? 100'000 : 3000));
    ASSERT_NE(object, nullptr);
    auto* const second = static_cast<GC_word*>(GC_malloc_atomic(64));
    ASSERT_NE(second, nullptr);
    *second = made_count;
    *object = second;
    made[made_count++] = object;
  }
}

// Allocates enough to take the memory of objects that were freed too early.
void expect_made_intact() {
  for (int i = 0; i < 5000; ++i) {
    std::memset(GC_malloc(3000), 0xff, 3000);
    std::memset(GC_malloc_atomic(64), 0xff, 64);
  }
  for (std::size_t i = 0; i < made_count; ++i)
    ASSERT_EQ(*static_cast<GC_word*>(*made.at(i)), i) << "of " << made_count;
}

class CCallbacksThatAllocate : public WithAnotherThread<testing::TestWithParam<bool>> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      setenv("JACKDAW_CONCURRENT", "1", 1);
      setenv("JACKDAW_PAUSE_MS", "0", 1);
    }
    setenv("JACKDAW_MINIMUM_BUDGET", "64k", 1);
    setenv("JACKDAW_INITIAL_HEAP_SIZE", "64k", 1);
    WithAnotherThread::SetUp();
  }
  // `install` has make_objects called with the lock held.
  template <typename Install>
  void expect_to_live(Install install) {
    made_count = 0;
    install();
    for (int i = 0; i < 3000; ++i) GC_reachable_here(GC_malloc(1000));
    GC_gcollect();
    EXPECT_GT(made_count, 0U);
    expect_made_intact();
    GC_gcollect();
    expect_made_intact();
    made.fill(nullptr);
  }
};

TEST_P(CCallbacksThatAllocate, PushOtherRoots) {
  static GC_push_other_roots_proc before = GC_get_push_other_roots();
  expect_to_live([] {
    GC_set_push_other_roots([] {
      make_objects();
      before();
    });
  });
  GC_set_push_other_roots(before);
}

TEST_P(CCallbacksThatAllocate, Events) {
  for (int event = GC_EVENT_START; event <= GC_EVENT_POST_START_WORLD; ++event) {
    SCOPED_TRACE(event);
    static GC_EventType wanted;
    wanted = static_cast<GC_EventType>(event);
    expect_to_live([] {
      GC_set_on_collection_event([](GC_EventType told) {
        if (told == wanted) make_objects();
      });
    });
    GC_set_on_collection_event(nullptr);
  }
}

TEST_P(CCallbacksThatAllocate, ThreadEvents) {
  expect_to_live([] { GC_set_on_thread_event([](GC_EventType, void*) { make_objects(); }); });
  GC_set_on_thread_event(nullptr);
}

TEST_P(CCallbacksThatAllocate, StartAndStopFunctions) {
  expect_to_live([] { GC_set_start_callback(make_objects); });
  GC_set_start_callback(nullptr);
  expect_to_live([] {
    GC_set_stop_func([] {
      make_objects();
      return 0;
    });
  });
  GC_set_stop_func([] { return 0; });
}

TEST_P(CCallbacksThatAllocate, HeapResizeAndToggleReferences) {
  expect_to_live([] { GC_set_on_heap_resize([](GC_word) { make_objects(); }); });
  GC_set_on_heap_resize(nullptr);
  expect_to_live([] {
    GC_set_toggleref_func([](void*) {
      make_objects();
      return GC_TOGGLE_REF_STRONG;
    });
    GC_toggleref_add(known.object, 1);
  });
  GC_set_toggleref_func(nullptr);
}

TEST_P(CCallbacksThatAllocate, FinalizersThatAreAwaited) {
  expect_to_live([] {
    GC_set_await_finalize_proc([](void*) { make_objects(); });
    drop_objects_with_finalizers();
  });
  GC_set_await_finalize_proc(nullptr);
}

TEST_P(CCallbacksThatAllocate, WithTheLock) {
  expect_to_live([] {
    const GC_fn_type make = [](void* of) -> void* {
      for (int i = 0; i < 20; ++i) make_objects();
      return of;
    };
    EXPECT_EQ(GC_call_with_alloc_lock(make, known.object), known.object);
  });
}

// The objects that the callbacks of a collection make, one each.
std::vector<Hidden> of_callbacks;
std::array<void*, 64> where_they_are{};

template <void* make()>
void make_in_callback() {
  ++visits;
  where_they_are.at(of_callbacks.size()) = make();
  of_callbacks.emplace_back(where_they_are.at(of_callbacks.size()));
}

// In a pause, slots that allocators hold may count as free, or be unmarked, and callbacks go on to use them.
template <void* make()>
void expect_to_stay_apart(bool from_roots_on) {
  static GC_push_other_roots_proc before = GC_get_push_other_roots();
  static bool is_time;
  is_time = !from_roots_on;
  of_callbacks.clear();
  of_callbacks.reserve(where_they_are.size());
  GC_set_push_other_roots([] {
    is_time = true;
    make_in_callback<make>();
    before();
  });
  GC_set_on_collection_event([](GC_EventType) {
    if (is_time) make_in_callback<make>();
  });
  GC_gcollect();
  GC_set_on_collection_event(nullptr);
  GC_set_push_other_roots(before);
  EXPECT_GT(of_callbacks.size(), 5U);
  GC_gcollect();
  EXPECT_EQ(count_there(of_callbacks), of_callbacks.size());
  for (int i = 0; i < 3000; ++i) {
    const void* const object = make();
    for (const Hidden& other : of_callbacks) ASSERT_NE(object, other.address());
  }
  where_they_are.fill(nullptr);
}

void* make_collectable() { return GC_malloc(16); }
void* make_uncollectable() { return GC_malloc_uncollectable(16); }

TEST_P(CCallbacksThatAllocate, InEachCallbackOfAPause) {
  for (const bool from_roots_on : {false, true}) {
    expect_to_stay_apart<make_collectable>(from_roots_on);
    expect_to_stay_apart<make_uncollectable>(from_roots_on);
  }
}

TEST_P(CCallbacksThatAllocate, InEachCallbackOfAPauseWithDisclaimProcedures) {
  const auto kind = static_cast<int>(GC_new_kind(GC_new_free_list(), 0, 0, 1));
  GC_register_disclaim_proc(
      kind, [](void*) { return 0; }, 0);
  expect_to_stay_apart<make_collectable>(true);
}

TEST_P(CCallbacksThatAllocate, ReferencesToOlderObjectsInPushOtherRoots) {
  static GC_push_other_roots_proc before = GC_get_push_other_roots();
  static std::vector<Hidden> older;
  older = drop_many(64);
  made_count = 0;
  GC_set_push_other_roots([] {
    ++visits;
    for (; made_count < older.size(); ++made_count) {
      made[made_count] = static_cast<void**>(GC_malloc(16));
      *made[made_count] = older[made_count].address();
    }
    before();
  });
  collect();
  GC_set_push_other_roots(before);
  EXPECT_EQ(count_there(older), kManyObjects);
  made.fill(nullptr);
}

INSTANTIATE_TEST_SUITE_P(Modes, CCallbacksThatAllocate, testing::Bool(),
                         [](const auto& concurrent) { return concurrent.param ? "concurrent" : "stopping"; });

// ---- What is told counts ----

// The frame that the other thread's stack is to end at, while objects are known above it alone.
std::atomic<void*> frame{nullptr};
std::atomic<bool> may_return{false};
std::vector<Hidden> above;

[[gnu::noinline]] void wait_below() {
  frame = __builtin_frame_address(0);
  while (!may_return) {
  }
}

void* keep_above(void*) {
  // Far from the stack's other end, where the thread's variables lie, which are roots.
  std::array<void* volatile, 4096> frames{};
  const auto address = reinterpret_cast<std::uintptr_t>(frames.data());
  const bool is_real = gc::FakeStack::of_this_thread().real_address(address) == address;
  std::size_t next = 0;
  above = drop_many(64, [&](void* object) { frames.at(next++) = object; });
  clean_stack();
  known.other_thread = GC_get_my_stackbottom(&known.others_stack);
  if (!is_real) above.clear();  // they are in no frame below
  wait_below();
  return nullptr;
}

// Programs announce so the stack of the fiber that runs now.
TEST(CCallbacksAndStacks, AStacksEndCountsInTheCollectionThatItIsToldIn) {
  GC_INIT();
  pthread_t thread{};
  ASSERT_EQ(GC_pthread_create(&thread, nullptr, keep_above, nullptr), 0);
  while (frame == nullptr) sched_yield();
  if (above.empty()) GTEST_SKIP() << "the references lie in a frame that is scanned";
  GC_gcollect();
  EXPECT_EQ(count_there(above), kManyObjects);
  static GC_push_other_roots_proc before = GC_get_push_other_roots();
  GC_set_push_other_roots([] {
    const GC_stack_base base{frame};
    GC_set_stackbottom(known.other_thread, &base);
    before();
  });
  GC_gcollect();
  GC_set_push_other_roots(before);
  EXPECT_LT(count_there(above), kManyObjects);
  may_return = true;
  EXPECT_EQ(GC_pthread_join(thread, nullptr), 0);
}

// ---- On the mark threads ----

class CCallbacks : public WithAnotherThread<testing::Test> {};

GC_ms_entry* ask_and_mark(GC_word* object, GC_ms_entry* top, GC_ms_entry* limit, GC_word) {
  ask_about_objects();
  read_statistics();
  ++visits;
  auto** const first = reinterpret_cast<void**>(object);
  return GC_MARK_AND_PUSH(*first, top, limit, first);
}

TEST_F(CCallbacks, MarkProceduresMayAskAboutObjects) {
  const unsigned procedure = GC_new_proc(ask_and_mark);
  const auto kind = static_cast<int>(GC_new_kind(GC_new_free_list(), GC_MAKE_PROC(procedure, 0), 0, 1));
  void** list = nullptr;
  for (int i = 0; i < 100; ++i) {
    auto** const object = static_cast<void**>(GC_generic_malloc(16, kind));
    *object = list;
    list = object;
  }
  GC_gcollect();
  GC_reachable_here(list);
}

// ---- Without the lock ----

// Each kept from one call to the next.
void use_setters_and_getters() {
  GC_set_oom_fn(GC_get_oom_fn());
  GC_set_warn_proc(GC_get_warn_proc());
  GC_set_abort_func(GC_get_abort_func());
  GC_set_start_callback(GC_get_start_callback());
  GC_set_on_collection_event(GC_get_on_collection_event());
  GC_set_on_thread_event(GC_get_on_thread_event());
  GC_set_on_heap_resize(GC_get_on_heap_resize());
  GC_set_finalizer_notifier(GC_get_finalizer_notifier());
  GC_set_await_finalize_proc(GC_get_await_finalize_proc());
  GC_set_toggleref_func(GC_get_toggleref_func());
  GC_set_stop_func(GC_get_stop_func());
  GC_set_disable_automatic_collection(GC_get_disable_automatic_collection());
}

void use_everything() {
  static bool is_inside = false;  // a collection there may call it again
  if (is_inside) return;
  is_inside = true;
  use_what_takes_no_lock();
  use_setters_and_getters();
  void* object = GC_realloc(GC_malloc(16), 10'000);
  void* link = object;
  EXPECT_EQ(GC_general_register_disappearing_link(&link, object), GC_SUCCESS);
  EXPECT_EQ(GC_unregister_disappearing_link(&link), 1);
  GC_register_finalizer(object, ignore_finalizer, nullptr, nullptr, nullptr);
  GC_add_roots(&link, &link + 1);
  GC_disable();
  GC_enable();
  const GC_word collections = GC_get_gc_no();
  GC_gcollect();
  EXPECT_GT(GC_get_gc_no(), collections);
  EXPECT_EQ(GC_base(link), object);
  GC_remove_roots(&link, &link + 1);
  GC_free(object);
  GC_prof_stats_s all;
  EXPECT_EQ(GC_get_prof_stats(&all, sizeof all), sizeof all);
  EXPECT_NE(GC_get_memory_use(), 0U);
  GC_dump();
  const GC_fn_type return_it = [](void* of) -> void* { return of; };
  EXPECT_EQ(GC_call_with_alloc_lock(return_it, &all), &all);
  EXPECT_EQ(GC_do_blocking(return_it, &all), &all);
  pthread_t thread{};
  ASSERT_EQ(GC_pthread_create(&thread, nullptr, return_it, nullptr), 0);
  ASSERT_EQ(GC_pthread_join(thread, nullptr), 0);
  GC_invoke_finalizers();
  is_inside = false;
}

TEST_F(CCallbacks, TheOutOfMemoryFunctionMayCallEverything) {
  GC_set_oom_fn([](std::size_t) {
    use_everything();
    return known.object;
  });
  constexpr std::size_t kTooMuch = std::numeric_limits<std::size_t>::max() / 4;
  EXPECT_EQ(GC_malloc(kTooMuch), known.object);
  EXPECT_EQ(GC_malloc_atomic(kTooMuch), known.object);
  EXPECT_EQ(GC_malloc_uncollectable(kTooMuch), known.object);
  EXPECT_EQ(GC_malloc_ignore_off_page(kTooMuch), known.object);
  EXPECT_EQ(GC_memalign(64, kTooMuch), known.object);
  EXPECT_EQ(GC_realloc(GC_malloc(16), kTooMuch), known.object);
}

TEST_F(CCallbacks, TheWarningFunctionMayCallEverything) {
  GC_set_warn_proc([](char*, GC_word) { use_everything(); });
  warn("a warning: %lu", 1);
}

TEST_F(CCallbacks, TheFinalizerNotifierMayCallEverything) {
  GC_set_finalize_on_demand(1);
  GC_set_finalizer_notifier(use_everything);
  drop_objects_with_finalizers();
  collect();
}

TEST_F(CCallbacks, FinalizersMayCallEverything) {
  drop_many(64, [](void* object) {
    GC_register_finalizer(
        object, [](void*, void*) { use_everything(); }, nullptr, nullptr, nullptr);
  });
  collect();
}

}  // namespace
}  // namespace jackdaw::c_interface
