// ProcessCollector: what stacks, registers, static data and added ranges lead to stays; the rest goes;
// threads may be anywhere when a collection comes.
#include "gc/process/process_collector.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/mark/sanitized.h"

namespace jackdaw::gc {
namespace {

using heap::KindNumber;

// An address that no collection takes for one.
class HiddenAddress {
 public:
  explicit HiddenAddress(const void* object) : bits_(~reinterpret_cast<std::uintptr_t>(object)) {}
  void* address() const { return reinterpret_cast<void*>(~bits_); }  // NOLINT(performance-no-int-to-ptr)

 private:
  std::uintptr_t bits_;
};

struct Link {
  Link* next;
  std::uint64_t value;
};

ProcessCollector& collector() { return ProcessCollector::instance(); }

Link* new_link(Link* next, std::uint64_t value) {
  auto* const link = static_cast<Link*>(collector().allocate(sizeof(Link), KindNumber::words));
  if (link == nullptr) return nullptr;
  link->next = next;
  link->value = value;
  return link;
}

// A list of links with the values 0 to `length` - 1. Not inlined, so that its frame is gone afterwards.
[[gnu::noinline]] Link* new_list(std::uint64_t length) {
  Link* list = nullptr;
  for (std::uint64_t value = length; value > 0; --value) list = new_link(list, value - 1);
  return list;
}

void expect_intact(const Link* list, std::uint64_t length) {
  std::uint64_t value = 0;
  for (; list != nullptr; list = list->next) ASSERT_EQ(list->value, value++);
  EXPECT_EQ(value, length);
}

std::vector<HiddenAddress> hidden_links(const Link* list) {
  std::vector<HiddenAddress> hidden;
  for (; list != nullptr; list = list->next) hidden.emplace_back(list);
  return hidden;
}

std::size_t still_there(const std::vector<HiddenAddress>& objects) {
  std::size_t count = 0;
  for (const HiddenAddress& object : objects)
    count += collector().heap().object_at(object.address()) != nullptr;
  return count;
}

// Overwrites what earlier calls left on the stack below the caller.
[[gnu::noinline]] void clean_stack() {
  std::array<volatile std::uintptr_t, 4096> words;
  for (volatile std::uintptr_t& word : words) word = 0;
}

constexpr std::uint64_t kLength = 1000;

[[gnu::noinline]] std::vector<HiddenAddress> dropped_list() { return hidden_links(new_list(kLength)); }

// Puts a list where `slot` is, so that no other trace of it is left in the caller's frame.
template <typename Slot>
[[gnu::noinline]] std::vector<HiddenAddress> put_list(Slot& slot) {
  slot = new_list(kLength);
  return hidden_links(slot);
}

TEST(ProcessCollector, FreesWhatNothingLeadsTo) {
  const std::vector<HiddenAddress> dropped = dropped_list();
  EXPECT_EQ(still_there(dropped), kLength);
  clean_stack();
  const CollectionResult result = collector().collect();
  // A stale word somewhere may keep a tail of the list.
  EXPECT_LT(still_there(dropped), kLength);
  EXPECT_EQ(result.live_bytes % heap::kGranuleBytes, 0U);
}

TEST(ProcessCollector, KeepsWhatAStackLeadsTo) {
  Link* const list = new_list(kLength);
  for (int i = 0; i < 3; ++i) {
    collector().collect();
    dropped_list();
  }
  expect_intact(list, kLength);
}

TEST(ProcessCollector, AnAddressAnywhereInAnObjectKeepsIt) {
  auto* volatile inside = static_cast<std::byte*>(collector().allocate(100'000, KindNumber::words)) + 99'999;
  auto* volatile last = reinterpret_cast<std::byte*>(new_list(kLength)) + sizeof(Link) - 1;
  inside[0] = std::byte{7};
  collector().collect();
  dropped_list();
  EXPECT_NE(collector().heap().object_at(inside), nullptr);
  EXPECT_EQ(inside[0], std::byte{7});
  expect_intact(reinterpret_cast<const Link*>(last - (sizeof(Link) - 1)), kLength);
}

TEST(ProcessCollector, DataIsKeptAndLeadsNowhere) {
  auto** const data = static_cast<Link**>(collector().allocate(sizeof(std::uintptr_t), KindNumber::data));
  const std::vector<HiddenAddress> hidden = put_list(*data);
  clean_stack();
  collector().collect();
  EXPECT_NE(collector().heap().object_at(data), nullptr);
  EXPECT_LT(still_there(hidden), kLength);
}

Link* volatile static_list = nullptr;

TEST(ProcessCollector, StaticDataIsARoot) {
  const std::vector<HiddenAddress> hidden = put_list(static_list);
  clean_stack();
  collector().collect();
  EXPECT_EQ(still_there(hidden), kLength);
  static_list = nullptr;
  clean_stack();
  collector().collect();
  EXPECT_LT(still_there(hidden), kLength);
}

TEST(ProcessCollector, AddedRangesAreRootsUntilTheyAreRemoved) {
  const std::span<std::byte> memory = heap::map_memory(3 * sizeof(std::uintptr_t));
  auto** const slots = reinterpret_cast<Link**>(memory.data());
  std::array<std::vector<HiddenAddress>, 3> hidden;
  for (std::size_t i = 0; i < 3; ++i) hidden[i] = put_list(slots[i]);
  collector().static_roots().add(slots, slots + 3);
  clean_stack();
  collector().collect();
  for (const auto& list : hidden) EXPECT_EQ(still_there(list), kLength);
  collector().static_roots().remove(slots + 1, slots + 2);
  clean_stack();
  collector().collect();
  EXPECT_EQ(still_there(hidden[0]), kLength);
  EXPECT_LT(still_there(hidden[1]), kLength);
  EXPECT_EQ(still_there(hidden[2]), kLength);
  collector().static_roots().remove(slots, slots + 3);
  clean_stack();
  collector().collect();
  for (const auto& list : hidden) EXPECT_LT(still_there(list), kLength);
  heap::unmap_memory(memory);
}

TEST(ProcessCollector, MoreMemoryThanThereIsIsRefused) {
  EXPECT_EQ(collector().allocate(std::size_t{1} << 62, KindNumber::data), nullptr);
  EXPECT_EQ(collector().allocate(std::size_t{1} << 46, KindNumber::data), nullptr);
  EXPECT_NE(collector().allocate(16, KindNumber::data), nullptr);
}

TEST(ProcessCollector, AllocationCollectsByItself) {
  const std::uint64_t before = collector().collections();
  Link* const list = new_list(kLength);
  for (std::size_t i = 0; i < mark::scaled(4'000'000); ++i) ASSERT_NE(new_link(nullptr, i), nullptr);
  EXPECT_GT(collector().collections(), before);
  expect_intact(list, kLength);
}

TEST(ProcessCollector, NothingIsCollectedWhileDisabled) {
  collector().disable();
  const std::uint64_t before = collector().collections();
  for (std::size_t i = 0; i < mark::scaled(1'000'000); ++i) ASSERT_NE(new_link(nullptr, i), nullptr);
  EXPECT_EQ(collector().collections(), before);
  collector().enable();
}

void join_all(void* threads) {
  for (std::thread& thread : *static_cast<std::vector<std::thread>*>(threads)) thread.join();
}
// Until `flag` is not zero. Collections do not wait for the waiting thread.
template <typename Flag>
void wait_until(Flag& flag) {
  const auto wait = [](void* of) {
    while (!static_cast<Flag*>(of)->load()) std::this_thread::yield();
  };
  collector().threads().call_blocked(wait, &flag);
}
void join_one(void* thread) { static_cast<std::thread*>(thread)->join(); }

// Each thread keeps lists in its frames only, and looks at every link of them after many collections.
TEST(ProcessThreads, AllocateAndKeepTheirListsThroughCollections) {
  constexpr int kThreads = 4;
  const std::size_t rounds = mark::scaled(300);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      Link* kept = new_list(kLength);
      for (std::size_t round = 0; round < rounds; ++round) {
        Link* const list = new_list(kLength);
        expect_intact(kept, kLength);
        kept = list;
      }
      expect_intact(kept, kLength);
    });
  }
  for (std::size_t i = 0; i < rounds / 3; ++i) collector().collect();
  collector().threads().call_blocked(join_all, &threads);
}

TEST(ProcessThreads, MayComeAndGoDuringCollections) {
  const std::size_t threads = mark::scaled(1000);
  const std::size_t registered = collector().threads().count();
  std::atomic<bool> stop{false};
  std::thread collecting([&] {
    while (!stop.load()) {
      collector().collect();
      for (int i = 0; i < 20; ++i) dropped_list();  // the others need time, too
    }
  });
  constexpr std::size_t kAtOnce = 20;
  for (std::size_t i = 0; i < threads; i += kAtOnce) {
    std::vector<std::thread> crowd;
    for (std::size_t j = 0; j < kAtOnce; ++j) crowd.emplace_back([] { expect_intact(new_list(100), 100); });
    collector().threads().call_blocked(join_all, &crowd);
  }
  stop.store(true);
  collector().threads().call_blocked(join_one, &collecting);
  EXPECT_EQ(collector().threads().count(), registered);
}

// A thread in a system call that declared itself blocked: collections do not wait, and its stack is a root.
TEST(ProcessThreads, BlockedThreadsAreNotWaitedFor) {
  std::array<int, 2> wake;
  ASSERT_EQ(pipe(wake.data()), 0);
  std::atomic<bool> is_ready{false};
  std::thread blocked([&] {
    Link* const list = new_list(kLength);
    struct Argument {
      int descriptor;
      std::atomic<bool>* is_ready;
    } argument{wake[0], &is_ready};
    const auto wait = [](void* of) {
      const Argument& waited = *static_cast<Argument*>(of);
      waited.is_ready->store(true);
      char byte = 0;
      EXPECT_EQ(read(waited.descriptor, &byte, 1), 1);
    };
    collector().threads().call_blocked(wait, &argument);
    expect_intact(list, kLength);
  });
  wait_until(is_ready);
  for (int i = 0; i < 10; ++i) {
    collector().collect();
    dropped_list();
  }
  EXPECT_EQ(write(wake[1], "x", 1), 1);
  collector().threads().call_blocked(join_one, &blocked);
  close(wake[0]);
  close(wake[1]);
}

// A thread that never calls anything is stopped all the same.
TEST(ProcessThreads, AThreadThatComputesIsStopped) {
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> turns{0};
  std::thread computing([&] {
    Link* const list = new_list(kLength);
    while (!stop.load(std::memory_order_relaxed)) {
      for (const Link* link = list; link != nullptr; link = link->next) turns.fetch_add(link->value);
    }
    expect_intact(list, kLength);
  });
  wait_until(turns);
  for (int i = 0; i < 20; ++i) {
    collector().collect();
    dropped_list();
  }
  stop.store(true);
  collector().threads().call_blocked(join_one, &computing);
}

}  // namespace
}  // namespace jackdaw::gc
