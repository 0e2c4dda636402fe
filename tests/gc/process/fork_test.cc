// fork() in the midst of collections: the child has one thread and a whole heap, the parent goes on.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/gc/process/hidden_lists.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

bool is_intact(const Link* list) {
  std::uint64_t length = 0;
  for (; list != nullptr; list = list->next) {
    if (list->value != length++) return false;
  }
  return length == kLength;
}

// Takes the locks of the nodes for a moment.
void use_nodes() {
  for (PersistentNodes* const nodes :
       {&collector().roots().persistents(), &collector().dead().weak_persistents()})
    nodes->release(nodes->acquire(0, nullptr));
}

// The work of a child process; returns its exit status.
int use_the_heap(Link* inherited) {
  if (collector().threads().count() != 1) return 2;
  use_nodes();
  Link* volatile list = new_list(kLength);
  for (int i = 0; i < 2; ++i) {
    collector().collect();
    dropped_list();
  }
  std::atomic<bool> others_is_intact{false};
  std::thread other([&] {
    Link* volatile own = new_list(kLength);
    collector().collect();
    others_is_intact.store(is_intact(own));
  });
  collector().threads().call_blocked(join_one, &other);
  if (!others_is_intact.load()) return 3;
  return is_intact(list) && is_intact(inherited) ? 0 : 4;
}

// The status with which a child ends that does so.
template <typename Work>
int status_of_child_that(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  struct Wait {
    pid_t child;
    int status = -1;
  } wait{child};
  const auto wait_for_child = [](void* of) {
    Wait& waited = *static_cast<Wait*>(of);
    waitpid(waited.child, &waited.status, 0);
  };
  collector().threads().call_blocked(wait_for_child, &wait);
  return WIFEXITED(wait.status) ? WEXITSTATUS(wait.status) : -1;
}

int status_of_child(Link* inherited) {
  return status_of_child_that([inherited] { return use_the_heap(inherited); });
}

TEST(Fork, WhileOthersCollectAndAllocate) {
  if (mark::kSanitized) GTEST_SKIP() << "a child may inherit the locks of the sanitizer's malloc";
  Link* volatile list = new_list(kLength);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    while (!stop.load()) {
      collector().collect();
      for (int i = 0; i < 20; ++i) dropped_list();  // the others need time, too
    }
  });
  threads.emplace_back([&] {
    while (!stop.load()) expect_intact(new_list(kLength), kLength);
  });
  threads.emplace_back([&] {
    while (!stop.load()) use_nodes();
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(status_of_child(list), 0);
  stop.store(true);
  collector().threads().call_blocked(join_all, &threads);
  expect_intact(list, kLength);
  EXPECT_TRUE(is_intact(list));
}

TEST(Fork, ByAThreadThatIsNotRegistered) {
  collector().collect();
  std::thread forking([] {
    const pid_t child = fork();
    if (child == 0) {
      if (collector().threads().count() != 0) _exit(1);
      _exit(use_the_heap(new_list(kLength)));
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  });
  collector().threads().call_blocked(join_one, &forking);
}

TEST(Fork, OfAChild) {
  Link* volatile list = new_list(kLength);
  const pid_t child = fork();
  if (child == 0) _exit(status_of_child(list));
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  expect_intact(list, kLength);
}

// Free memory that the child wrote to again would be copied, page by page.
TEST(Fork, GivesFreeMemoryOfTheParentBackOnce) {
  constexpr int kLists = 100;
  Link* volatile list = new_list(kLength);
  for (int i = 0; i < kLists; ++i) dropped_list();
  EXPECT_EQ(status_of_child_that([&] {
              const heap::HeapUsage& usage = collector().heap().usage();
              const std::uint64_t used = usage.used;
              collector().collect();
              if (usage.free > used / 8 || usage.given_back < used / 2) return 2;
              for (int i = 0; i < kLists; ++i) dropped_list();
              collector().collect();
              if (usage.free < used / 4) return 3;
              return is_intact(list) ? 0 : 4;
            }),
            0);
  expect_intact(list, kLength);
}

// Collects, and leaves much memory free.
[[gnu::noinline]] void collect_large_garbage() {
  constexpr std::size_t kLarge = 64;
  auto** table = static_cast<void**>(collector().allocate(kLarge * sizeof(void*), heap::KindNumber::words));
  for (std::size_t i = 0; i < kLarge; ++i)
    table[i] = collector().allocate(std::size_t{1} << 20, heap::KindNumber::data);
  std::fill_n(table, kLarge, nullptr);
  collect_cleanly();
}

TEST(Fork, HasTheScavengerStartAnew) {
  const Scavenger& scavenger = collector().scavenger();
  collect_large_garbage();
  EXPECT_TRUE(scavenger.has_thread());
  EXPECT_EQ(status_of_child_that([&] {
              if (scavenger.has_thread()) return 2;
              collector().collect();
              collect_large_garbage();
              return scavenger.has_thread() ? 0 : 3;
            }),
            0);
}

}  // namespace
}  // namespace jackdaw::gc
