// ThreadLocals: thread_local variables are roots, of every thread, of the program and of loaded libraries.
#include "gc/process/threads/thread_locals.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/gc/process/hidden_lists.h"
#include "tests/gc/process/threads/loaded_library.h"

namespace jackdaw::gc {
namespace {

thread_local void* thread_local_list = nullptr;

TEST(ThreadLocals, AreKnownHere) { EXPECT_TRUE(ThreadLocals::of_this_thread().are_known()); }

TEST(ThreadLocals, OfTheMainThreadAreRoots) {
  const std::vector<HiddenAddress> hidden = put_list(reinterpret_cast<Link*&>(thread_local_list));
  collect_cleanly();
  EXPECT_EQ(still_there(hidden), kLength);
  thread_local_list = nullptr;
  collect_cleanly();
  EXPECT_LT(still_there(hidden), kLength);
}

// A thread that puts a list into a slot of its own and waits, while the test collects.
template <typename Slot>
class Holder {
 public:
  explicit Holder(Slot slot) {
    thread_ = std::thread([this, slot] {
      hidden_ = put_list(reinterpret_cast<Link*&>(*slot()));
      clean_stack();
      is_ready_.store(true);
      wait_until(may_drop_);
      *slot() = nullptr;
      clean_stack();
      has_dropped_.store(true);
      wait_until(may_end_);
    });
    wait_until(is_ready_);
  }
  ~Holder() {
    may_drop_.store(true);
    may_end_.store(true);
    collector().threads().call_blocked(join_one, &thread_);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  void drop() {
    may_drop_.store(true);
    wait_until(has_dropped_);
  }
  [[nodiscard]] std::size_t still_held() const { return still_there(hidden_); }

 private:
  std::vector<HiddenAddress> hidden_;
  std::atomic<bool> is_ready_{false};
  std::atomic<bool> may_drop_{false};
  std::atomic<bool> has_dropped_{false};
  std::atomic<bool> may_end_{false};
  std::thread thread_;
};

TEST(ThreadLocals, OfAnotherThreadAreRoots) {
  Holder holder([] { return &thread_local_list; });
  collect_cleanly();
  EXPECT_EQ(holder.still_held(), kLength);
  holder.drop();
  collect_cleanly();
  EXPECT_LT(holder.still_held(), kLength);
}

class LibraryOfThisThread : public testing::TestWithParam<const char*> {};

TEST_P(LibraryOfThisThread, HasRootsInItsThreadLocals) {
  collector().collect();  // the thread is registered before the library is there
  const LoadedLibrary library(GetParam());
  const std::vector<HiddenAddress> hidden = put_list(reinterpret_cast<Link*&>(library.thread_local_slot()));
  collect_cleanly();
  EXPECT_EQ(still_there(hidden), kLength);
  library.thread_local_slot() = nullptr;
  collect_cleanly();
  EXPECT_LT(still_there(hidden), kLength);
}

TEST(ThreadLocals, OfALibraryGoWithIt) {
  collector().collect();
  auto library = std::make_unique<LoadedLibrary>();
  const std::vector<HiddenAddress> hidden = put_list(reinterpret_cast<Link*&>(library->thread_local_slot()));
  collect_cleanly();
  EXPECT_EQ(still_there(hidden), kLength);
  library.reset();
  collect_cleanly();
  EXPECT_LT(still_there(hidden), kLength);
}

class LibraryOfAnotherThread : public testing::TestWithParam<const char*> {};

TEST_P(LibraryOfAnotherThread, HasRootsInItsThreadLocals) {
  std::unique_ptr<LoadedLibrary> library;
  Holder holder([&library] {
    if (library == nullptr) {
      new_link(nullptr, 0);  // the thread is registered before the library is there
      library = std::make_unique<LoadedLibrary>(GetParam());
    }
    return &library->thread_local_slot();
  });
  collect_cleanly();
  EXPECT_EQ(holder.still_held(), kLength);
  holder.drop();
  collect_cleanly();
  EXPECT_LT(holder.still_held(), kLength);
}

const auto kLibraries = testing::Values(JACKDAW_LOADED_LIBRARY, JACKDAW_STATIC_AREA_LIBRARY);
std::string name_of(const testing::TestParamInfo<const char*>& library) {
  return library.index == 0 ? "allocated" : "static_area";
}
INSTANTIATE_TEST_SUITE_P(ThreadLocals, LibraryOfThisThread, kLibraries, name_of);
INSTANTIATE_TEST_SUITE_P(ThreadLocals, LibraryOfAnotherThread, kLibraries, name_of);

}  // namespace
}  // namespace jackdaw::gc
