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
#include "tests/gc/clean_stack.h"
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

// Its variables are gone when it returns.
[[gnu::noinline]] std::vector<HiddenObject> add_addresses_of_links(HeapVector<std::uint64_t>& numbers) {
  Link* const list = new_list(1000);
  for (const Link* link = list; link != nullptr; link = link->next)
    numbers->push_back(reinterpret_cast<std::uintptr_t>(link));
  return hidden_links(list);
}

TEST(HeapContainer, OfNumbersLeadsNowhere) {
  Persistent<Containers> owner(MakeGarbageCollected<Containers>());
  HeapVector<std::uint64_t> numbers;
  const std::vector<HiddenObject> hidden = add_addresses_of_links(numbers);
  clean_stack();
  const HiddenObject data(numbers->data());
  const volatile std::uint64_t* volatile kept = numbers->data();
  collect_garbage();
  EXPECT_TRUE(data.is_alive());
  // A stale word on the stack may keep a tail of the list.
  EXPECT_LT(count_alive(hidden), 1000U);
  EXPECT_NE(kept, nullptr);
}

template <typename Element>
HiddenObject hidden(const Element& element) {
  return HiddenObject(element.get());
}
template <typename Key>
HiddenObject hidden(const std::pair<Key, Member<Link>>& entry) {
  return HiddenObject(entry.second.get());
}

template <typename Container>
struct OwnerOf : GarbageCollected<OwnerOf<Container>> {
  void Trace(Visitor* visitor) const { visitor->Trace(container); }
  Container container;
};

// Each element of a container leads to an object: expects those that `remove` takes out to die, and the other
// `left` to live.
template <typename Container, typename Add, typename Remove>
void expect_removed_to_die(const char* how, std::size_t left, Add add, Remove remove) {
  Persistent<OwnerOf<Container>> owner(MakeGarbageCollected<OwnerOf<Container>>());
  std::vector<HiddenObject> objects;
  [&]() __attribute__((noinline)) {
    for (std::size_t i = 0; i < kCount; ++i)
      add(*owner->container, i, MakeGarbageCollected<Link>(nullptr, i));
    for (const auto& element : *owner->container) objects.push_back(hidden(element));
    remove(owner->container);
  }
  ();
  ASSERT_EQ(owner->container->size(), left) << how;
  collect_exactly();
  // Right behind a container's memory another object may lie.
  EXPECT_LE(count_alive(objects), left + 2) << how;
  for (const auto& element : *owner->container) EXPECT_TRUE(hidden(element).is_alive()) << how;
}

template <typename Container>
void expect_removed_from_a_sequence_to_die() {
  const auto expect = [](const char* how, std::size_t left, auto remove) {
    const auto add = [](auto& container, std::size_t, Link* link) { container.push_back(link); };
    expect_removed_to_die<Container>(how, left, add, remove);
  };
  expect("pop_back", 0, [](Container& all) {
    while (!all->empty()) all->pop_back();
  });
  expect("erase of the first", 10, [](Container& all) {
    while (all->size() > 10) all->erase(all->begin());
  });
  expect("erase of some", 100, [](Container& all) { all->erase(all->begin() + 50, all->end() - 50); });
  expect("erase_if", kCount / 2,
         [](Container& all) { std::erase_if(*all, [](const auto& link) { return link->value % 2 == 0; }); });
  expect("resize", 10, [](Container& all) { all->resize(10); });
  expect("assign", 1, [](Container& all) { all->assign(1, all->front()); });
  expect("copy assignment", 1, [](Container& all) {
    Container one;
    one->push_back(all->back());
    all = one;
  });
  expect("shrink_to_fit", 1, [](Container& all) {
    all->erase(all->begin() + 1, all->end());
    all->shrink_to_fit();
  });
}

// Whatever has clear(), begin() and swap().
template <typename Container, typename Add>
void expect_cleared_to_die(Add add) {
  const auto expect = [add](const char* how, std::size_t left, auto remove) {
    expect_removed_to_die<Container>(how, left, add, remove);
  };
  expect("clear", 0, [](Container& all) { all->clear(); });
  expect("erase of the first", kCount - 900, [](Container& all) {
    for (int i = 0; i < 900; ++i) all->erase(all->begin());
  });
  expect("erase of a range", 0, [](Container& all) { all->erase(all->begin(), all->end()); });
  expect("swap", 0, [](Container& all) {
    Container empty;
    all->swap(*empty);
  });
  expect("move", 0, [](Container& all) { const Container moved(std::move(all)); });
  expect("move assignment", 0, [](Container& all) {
    Container empty;
    all = std::move(empty);
  });
}

TEST(HeapContainer, KeepsNothingThatWasRemoved) {
  expect_removed_from_a_sequence_to_die<HeapVector<Member<Link>>>();
  expect_removed_from_a_sequence_to_die<HeapDeque<Member<Link>>>();
  expect_removed_to_die<HeapDeque<Member<Link>>>(
      "pop_front", 0, [](auto& deque, std::size_t, Link* link) { deque.push_back(link); },
      [](HeapDeque<Member<Link>>& deque) {
        while (!deque->empty()) deque->pop_front();
      });
  const auto push = [](auto& all, std::size_t, Link* link) { all.push_back(link); };
  expect_cleared_to_die<HeapVector<Member<Link>>>(push);
  expect_cleared_to_die<HeapDeque<Member<Link>>>(push);
  const auto set = [](auto& map, std::size_t i, Link* link) { map[i] = link; };
  expect_cleared_to_die<HeapMap<std::size_t, Member<Link>>>(set);
  expect_cleared_to_die<HeapHashMap<std::size_t, Member<Link>>>(set);
  const auto insert = [](auto& set_of_links, std::size_t, Link* link) { set_of_links.insert(link); };
  expect_cleared_to_die<HeapSet<Member<Link>>>(insert);
  expect_cleared_to_die<HeapHashSet<Member<Link>>>(insert);
}

// A queue that is a map: each node that was removed leads to nodes that were there then.
TEST(HeapContainer, AStaleWordKeepsNoMoreThanOneNode) {
  Persistent<OwnerOf<HeapMap<std::size_t, Member<Link>>>> owner(
      MakeGarbageCollected<OwnerOf<HeapMap<std::size_t, Member<Link>>>>());
  auto& map = *owner->container;
  for (std::size_t i = 0; i < 8; ++i) map[i] = nullptr;
  const volatile void* volatile stale = &map.begin()->first;
  std::vector<HiddenObject> objects;
  [&]() __attribute__((noinline)) {
    for (std::size_t i = 8; i < kCount; ++i) {
      map[i] = MakeGarbageCollected<Link>(nullptr, i);
      objects.push_back(hidden(*map.rbegin()));
      map.erase(map.begin());
    }
    map.clear();
  }
  ();
  collect_garbage();
  EXPECT_LE(count_alive(objects), 10U) << "some words on the stack may be stale";
  EXPECT_NE(stale, nullptr);
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
