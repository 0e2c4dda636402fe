// Profiling by the C and C++ functions: what profiles have when, and what becomes of objects that are freed.
#include "gc/process/profiling.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/page_vector.h"
#include "gc/process/process_collector.h"
#include "gc/report/profile/allocation_profile.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "jackdaw/gc.h"
#include "tests/temporary_folder.h"

namespace jackdaw::gc {
namespace {

constexpr std::uint64_t kEvery = 1 << 20;

class AllocationProfileTest : public testing::Test {
 protected:
  heap::Object* allocate() {
    heap::Object* const object = allocator_.allocate_plain(64, heap::KindNumber::words);
    EXPECT_NE(object, nullptr);
    return object;
  }

  heap::Heap heap_;
  heap::Allocator allocator_{heap_};
  AllocationProfile profile_;
};

TEST_F(AllocationProfileTest, SumsUpByStack) {
  const std::vector<std::uintptr_t> first{1, 2, 3};
  const std::vector<std::uintptr_t> second{1, 2, 4};
  for (int i = 0; i < 3; ++i) profile_.add(allocate(), kEvery, kEvery, first);
  profile_.add(allocate(), 64 * kEvery, kEvery, second);
  ASSERT_EQ(profile_.sites().size(), 2U);
  const AllocationProfile::Site& site = profile_.sites()[0];
  EXPECT_TRUE(std::ranges::equal(profile_.places_of(site), first, {},
                                 [this](std::uint32_t place) { return profile_.addresses()[place]; }));
  EXPECT_NEAR(site.objects, 3 / (1 - std::exp(-1.0)), 1e-9);
  EXPECT_NEAR(site.bytes, kEvery * site.objects, 1e-3);
  EXPECT_EQ(profile_.sites()[1].objects, 1.0) << "an object of 64 intervals is always a sample";
  EXPECT_EQ(site.live_objects, 0) << "no collection has looked";
}

TEST_F(AllocationProfileTest, HasLiveWhatWasMarked) {
  const std::vector<std::uintptr_t> stack{1};
  std::vector<heap::Object*> objects;
  for (int i = 0; i < 4; ++i) objects.push_back(allocate());
  for (heap::Object* const object : objects) profile_.add(object, kEvery, kEvery, stack);
  const auto mark = [&](std::size_t from) {
    heap_.clear_marks();
    for (std::size_t i = from; i < objects.size(); ++i)
      heap::Chunk::of(objects[i])->mark_exclusively(objects[i]);
    profile_.drop_unmarked();
  };
  const double one = 1 / (1 - std::exp(-1.0));
  mark(1);
  EXPECT_NEAR(profile_.sites()[0].live_objects, 3 * one, 1e-9);
  EXPECT_NEAR(profile_.sites()[0].objects, 4 * one, 1e-9);
  ASSERT_TRUE(profile_.may_have(objects[3]));
  profile_.drop(objects[3]);
  EXPECT_NEAR(profile_.sites()[0].live_objects, 2 * one, 1e-9);
  mark(2);
  EXPECT_NEAR(profile_.sites()[0].live_objects, one, 1e-9);
  EXPECT_FALSE(profile_.may_have(objects[0]));
  profile_.clear();
  EXPECT_TRUE(profile_.sites().empty());
}

// With so many samples nearly all bits of the filter are set.
TEST_F(AllocationProfileTest, DropsEachOfManySamples) {
  constexpr int kSamples = 200'000;
  std::vector<heap::Object*> objects;
  for (int i = 0; i < kSamples; ++i) objects.push_back(allocate());
  for (heap::Object* const object : objects)
    profile_.add(object, 64 * kEvery, kEvery, std::vector<std::uintptr_t>{1});
  heap_.clear_marks();
  for (heap::Object* const object : objects) heap::Chunk::of(object)->mark_exclusively(object);
  profile_.drop_unmarked();
  EXPECT_EQ(profile_.sites()[0].live_objects, kSamples);
  for (int i = 0; i < kSamples / 2; ++i) profile_.drop(objects[static_cast<std::size_t>(i)]);
  profile_.drop(objects[0]);
  EXPECT_EQ(profile_.sites()[0].live_objects, kSamples / 2);
}

const AllocationProfile::Site* site_with_most(const AllocationProfile& profile) {
  const auto& sites = profile.sites();
  const auto most = std::ranges::max_element(sites, {}, &AllocationProfile::Site::bytes);
  return most == sites.end() ? nullptr : &*most;
}

[[gnu::noinline]] void allocate_many(void** table, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) table[i] = GC_malloc(1000);
}

TEST(Profiling, FindsWhoAllocatedAndWhatIsAlive) {
  constexpr std::size_t kObjects = 20'000;
  setenv("JACKDAW_STRESS", "0", 1);
  GC_init();
  const AllocationProfile& profile = ProcessCollector::instance().profiling().profile();
  auto** table = static_cast<void**>(GC_malloc(kObjects * sizeof(void*)));
  allocate_many(table, kObjects);
  EXPECT_TRUE(profile.sites().empty()) << "nobody asked";
  GC_start_profile(8 << 10);
  allocate_many(table, kObjects);
  GC_stop_profile();
  allocate_many(table + kObjects / 2, kObjects / 2);
  GC_gcollect();
  // The calls from allocate_many differ inside of the collector alone.
  double bytes = 0;
  double live_bytes = 0;
  for (const AllocationProfile::Site& site : profile.sites()) {
    bytes += site.bytes;
    live_bytes += site.live_bytes;
  }
  ASSERT_NE(site_with_most(profile), nullptr);
  EXPECT_GT(profile.places_of(*site_with_most(profile)).size(), 2U);
  // Five standard deviations, of about 2,400 samples.
  EXPECT_NEAR(bytes, kObjects * 1008.0, kObjects * 1008.0 * 0.12);
  EXPECT_NEAR(live_bytes / bytes, 0.5, 0.06);
  GC_start_profile(0);
  EXPECT_TRUE(profile.sites().empty());
  GC_reachable_here(table);
}

TEST(Profiling, ForgetsWhatTheProgramFrees) {
  setenv("JACKDAW_STRESS", "0", 1);
  GC_init();
  const AllocationProfile& profile = ProcessCollector::instance().profiling().profile();
  GC_start_profile(1);
  void* const freed = GC_malloc(1000);
  void* const large = GC_malloc(100'000);
  EXPECT_TRUE(profile.may_have(static_cast<heap::Object*>(freed)));
  GC_free(freed);
  GC_free(large);
  void* volatile kept = GC_malloc_atomic(1000);
  GC_stop_profile();
  void* volatile unsampled = GC_malloc(1000);
  GC_gcollect();
  double live = 0;
  for (const AllocationProfile::Site& site : profile.sites()) live += site.live_bytes;
  EXPECT_NEAR(live, 1008, 400) << "the one object that was kept";
  EXPECT_NE(kept, unsampled);
}

TEST(Profiling, WritesAFileOrALine) {
  GC_init();
  const TemporaryFolder folder;
  GC_start_profile(1);
  void* volatile object = GC_malloc(100);
  EXPECT_EQ(GC_write_profile(folder.file("one-%p").c_str()), 1);
  EXPECT_GT(std::filesystem::file_size(folder.file("one-" + std::to_string(getpid()))), 100U);
  testing::internal::CaptureStderr();
  EXPECT_EQ(GC_write_profile("/no/such/folder/profile"), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "jackdaw: the profile '/no/such/folder/profile' cannot be written (No such file or directory)\n");
  EXPECT_NE(object, nullptr);
}

// A program may have loaded a library by a relative path, and have gone to another folder since.
TEST(Profiling, NamesLoadedFilesByWholePaths) {
  GC_init();
  const TemporaryFolder folder;
  Dl_info library;
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "_Unwind_Backtrace"), &library), 0);
  std::filesystem::copy_file(library.dli_fname, folder.file("library.so"));
  std::filesystem::current_path(folder.path());
  ASSERT_NE(dlopen("./library.so", RTLD_NOW), nullptr) << dlerror();
  std::filesystem::current_path("/");
  ASSERT_EQ(GC_write_profile(folder.file("profile").c_str()), 1);
  const std::string profile = read_file(folder.file("profile"));
  EXPECT_NE(profile.find(std::filesystem::canonical(folder.file("library.so")).string()), std::string::npos);
  EXPECT_NE(profile.find(std::filesystem::read_symlink("/proc/self/exe").string()), std::string::npos);
}

TEST(Profiling, IsForOneProcessAtATime) {
  constexpr std::chrono::hours kHour{1};
  GC_init();
  Profiling& profiling = ProcessCollector::instance().profiling();
  const auto start_for = [&](pid_t inspector, std::chrono::nanoseconds time) {
    const std::lock_guard lock(ProcessCollector::instance().lock());
    return profiling.start_for(inspector, 1, time);
  };
  const auto end_for = [&](pid_t inspector) {
    const std::lock_guard lock(ProcessCollector::instance().lock());
    base::PageVector<std::byte> profile;
    return profiling.end_for(inspector, profile) && profile.size() > 100;
  };
  const pid_t one = getppid();
  const pid_t another = getpid();
  EXPECT_FALSE(end_for(one));
  EXPECT_TRUE(start_for(one, kHour));
  EXPECT_FALSE(start_for(another, kHour));
  EXPECT_FALSE(end_for(another));
  GC_stop_profile();
  GC_reachable_here(GC_malloc(5000));
  EXPECT_FALSE(profiling.profile().sites().empty());
  EXPECT_TRUE(end_for(one));
  EXPECT_TRUE(profiling.profile().sites().empty());
  // One whose time is over takes no samples, and gives way.
  EXPECT_TRUE(start_for(one, std::chrono::nanoseconds(0)));
  GC_reachable_here(GC_malloc(5000));
  EXPECT_TRUE(profiling.profile().sites().empty());
  EXPECT_TRUE(start_for(another, kHour));
  EXPECT_FALSE(end_for(one));
  EXPECT_TRUE(start_for(another, kHour)) << "it asks again";
  // The program's own comes first.
  GC_start_profile(1);
  EXPECT_FALSE(end_for(another));
  EXPECT_FALSE(start_for(another, kHour));
}

TEST(Profiling, IsNotForAProcessThatHasEnded) {
  GC_init();
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  ASSERT_EQ(waitpid(gone, nullptr, 0), gone);
  Profiling& profiling = ProcessCollector::instance().profiling();
  const std::lock_guard lock(ProcessCollector::instance().lock());
  EXPECT_TRUE(profiling.start_for(gone, 1, std::chrono::hours(1)));
  EXPECT_TRUE(profiling.start_for(getpid(), 1, std::chrono::hours(1)));
}

// A thread that is not registered does not stop for a collection, which must not come while samples are
// copied.
TEST(Profiling, RegistersAThreadThatStartsOrWrites) {
  GC_init();
  const auto is_registered_after = [](auto call) {
    bool is_registered = true;
    std::thread([&] {
      EXPECT_EQ(GC_thread_is_registered(), 0);
      call();
      is_registered = GC_thread_is_registered() != 0;
    }).join();
    return is_registered;
  };
  Profiling& profiling = ProcessCollector::instance().profiling();
  EXPECT_TRUE(is_registered_after([&] { profiling.start(1); }));
  const TemporaryFolder folder;
  EXPECT_TRUE(is_registered_after([&] { profiling.write(folder.file("profile")); }));
}

TEST(Profiling, BeginsAnewInAChild) {
  GC_init();
  GC_start_profile(1);
  GC_reachable_here(GC_malloc(100));
  const AllocationProfile& profile = ProcessCollector::instance().profiling().profile();
  EXPECT_FALSE(profile.sites().empty());
  const pid_t child = fork();
  if (child == 0) {
    if (!profile.sites().empty()) _exit(2);
    GC_reachable_here(GC_malloc(5000));
    _exit(profile.sites().empty() ? 3 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace jackdaw::gc
