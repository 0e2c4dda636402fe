// HeapContainer: containers of the standard library keep what their elements lead to, whatever happens to
// them.
#include "gc/cpp/containers.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gc/cpp/persistent.h"
#include "tests/gc/cpp/lists.h"
#include "tests/scaled.h"

namespace jackdaw {
namespace {

struct Containers : GarbageCollected<Containers> {
  void Trace(Visitor* visitor) const {
    visitor->Trace(vector);
    visitor->Trace(deque);
    visitor->Trace(map);
    visitor->Trace(set);
    visitor->Trace(hash_map);
    visitor->Trace(hash_set);
  }
  HeapVector<Member<Link>> vector;
  HeapDeque<Member<Link>> deque;
  HeapMap<int, Member<Link>> map;
  HeapSet<Member<Link>> set;
  HeapHashMap<std::uint64_t, std::pair<int, Member<Link>>> hash_map;
  HeapHashSet<Member<Link>> hash_set;
};

constexpr std::size_t kCount = 1000;

[[gnu::noinline]] void fill(Containers& all) {
  for (std::size_t i = 0; i < kCount; ++i) {
    all.vector->push_back(new_list(1));
    all.deque->push_front(new_list(2));
    (*all.map)[static_cast<int>(i)] = new_list(3);
    all.set->insert(new_list(4));
    (*all.hash_map)[i] = {1, new_list(5)};
    all.hash_set->insert(new_list(6));
  }
}

TEST(HeapContainer, KeepsWhatItsElementsLeadTo) {
  Persistent<Containers> all(MakeGarbageCollected<Containers>());
  fill(*all);
  for (int i = 0; i < 2; ++i) {
    collect_exactly();
    fill(*MakeGarbageCollected<Containers>());  // takes the memory of what died
  }
  ASSERT_EQ(all->vector->size(), kCount);
  for (const auto& list : *all->vector) expect_intact(list, 1);
  for (const auto& list : *all->deque) expect_intact(list, 2);
  for (const auto& [key, list] : *all->map) expect_intact(list, 3);
  for (const auto& list : *all->set) expect_intact(list, 4);
  for (std::size_t i = 0; i < kCount; ++i) expect_intact(all->hash_map->at(i).second, 5);
  for (const auto& list : *all->hash_set) expect_intact(list, 6);
}

TEST(HeapContainer, DiesWithItsElements) {
  std::vector<HiddenObject> hidden;
  [&] {
    Containers* const all = MakeGarbageCollected<Containers>();
    fill(*all);
    for (const auto& list : *all->vector) hidden.emplace_back(list.get());
    hidden.emplace_back(all->vector->data());
    for (const auto& [key, list] : *all->hash_map) hidden.emplace_back(&key);
  }();
  EXPECT_EQ(count_alive(hidden), hidden.size());
  collect_exactly();
  EXPECT_EQ(count_alive(hidden), 0U);
}

TEST(HeapContainer, LivesOnAStackAndIsCopiedAndMoved) {
  HeapVector<Member<Link>> lists;
  for (int i = 0; i < 100; ++i) lists->push_back(new_list(10));
  HeapVector<Member<Link>> copy(lists);
  HeapVector<Member<Link>> moved(std::move(lists));
  lists = copy;
  copy = std::move(moved);
  collect_garbage();
  for (int i = 0; i < 100; ++i) new_list(10);
  ASSERT_EQ(lists->size(), 100U);
  ASSERT_EQ(copy->size(), 100U);
  for (const auto& list : *lists) expect_intact(list, 10);
  for (const auto& list : *copy) expect_intact(list, 10);
}

TEST(HeapContainer, OfNumbersLeadsNowhere) {
  Persistent<Containers> owner(MakeGarbageCollected<Containers>());
  HeapVector<std::uint64_t> numbers;
  std::vector<HiddenObject> hidden;
  [&] {
    Link* const list = new_list(1000);
    for (const Link* link = list; link != nullptr; link = link->next)
      numbers->push_back(reinterpret_cast<std::uintptr_t>(link));
    hidden = hidden_links(list);
  }();
  const HiddenObject data(numbers->data());
  const volatile std::uint64_t* volatile kept = numbers->data();
  collect_garbage();
  EXPECT_TRUE(data.is_alive());
  // A stale word on the stack may keep a tail of the list.
  EXPECT_LT(count_alive(hidden), 1000U);
  EXPECT_NE(kept, nullptr);
}

// An object that has a destructor, and a container whose memory may be gone by then.
struct Destroyed : GarbageCollected<Destroyed> {
  explicit Destroyed(int& destroyed) : count(destroyed) {
    for (std::uint64_t i = 0; i < 100; ++i) (*lists)[i] = new_list(1);
  }
  ~Destroyed() { ++count; }
  void Trace(Visitor* visitor) const { visitor->Trace(lists); }
  HeapHashMap<std::uint64_t, Member<Link>> lists;
  int& count;
};

TEST(HeapContainer, MayLieInWhatHasADestructor) {
  int destroyed = 0;
  for (int i = 0; i < 100; ++i) {
    MakeGarbageCollected<Destroyed>(destroyed);
    if (i % 10 == 9) collect_garbage();
  }
  collect_exactly();
  EXPECT_EQ(destroyed, 100);
}

// An array that is marked in slices.
TEST(HeapContainer, MayBeLong) {
  Persistent<Containers> all(MakeGarbageCollected<Containers>());
  const std::size_t length = mark::scaled(1'000'000);
  for (std::size_t i = 0; i < length; ++i) all->vector->push_back(i % 16 == 0 ? new_list(1) : nullptr);
  collect_exactly();
  for (std::size_t i = 0; i < length; i += 16) expect_intact((*all->vector)[i], 1);
}

// Collections come at any instruction of push_back, insert and erase.
TEST(HeapContainer, IsChangedWhileOthersCollect) {
  constexpr std::size_t kThreads = 3;
  const std::size_t rounds = mark::scaled(300);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      Persistent<Containers> all(MakeGarbageCollected<Containers>());
      for (std::size_t round = 0; round < rounds; ++round) {
        for (std::uint64_t j = 0; j < 200; ++j) {
          all->vector->push_back(new_list(3));
          (*all->hash_map)[j * round] = {0, new_list(4)};
        }
        for (const auto& list : *all->vector) expect_intact(list, 3);
        for (const auto& [key, value] : *all->hash_map) expect_intact(value.second, 4);
        if (round % 8 == 7) {
          all->vector->clear();
          all->hash_map->clear();
        }
      }
    });
  }
  for (std::size_t i = 0; i < rounds; ++i) collect_garbage();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace jackdaw
