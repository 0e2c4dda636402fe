// Persistent and WeakPersistent: references from static data, stacks, malloc's memory and other threads.
#include "gc/cpp/persistent.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "tests/gc/cpp/lists.h"
#include "tests/scaled.h"

namespace jackdaw {
namespace {

Persistent<Link> static_list;
WeakPersistent<Link> static_weak;

TEST(Persistent, KeepsItsObjectFromStaticDataAndMalloc) {
  static_list = new_list(100);
  const auto in_malloc = std::make_unique<Persistent<Link>>(new_list(200));
  collect_exactly();
  expect_intact(static_list, 100);
  expect_intact(*in_malloc, 200);
}

TEST(Persistent, IsCopiedMovedAndCleared) {
  Persistent<Link> first(new_list(10));
  Persistent<Link> second(first);
  Persistent<Link> third;
  third = second;
  Persistent<Link> fourth(std::move(second));
  first = nullptr;
  third.clear();
  collect_exactly();
  expect_intact(fourth, 10);
  first = std::move(fourth);
  fourth = new_list(20);
  collect_exactly();
  expect_intact(first, 10);
  expect_intact(fourth, 20);
  std::swap(first, fourth);
  expect_intact(first, 20);
  expect_intact(fourth, 10);
  const std::vector<HiddenObject> hidden = hidden_links(first);
  first.clear();
  collect_exactly();
  EXPECT_EQ(count_alive(hidden), 0U);
}

TEST(Persistent, AWeakOneBecomesNullWhenItsObjectDies) {
  static_list = new_list(10);
  static_weak = static_list;
  WeakPersistent<Link> dies(new_list(10));
  collect_exactly();
  EXPECT_EQ(static_weak, static_list);
  EXPECT_EQ(dies, nullptr);
  dies = static_list->next;
  static_list.clear();
  collect_exactly();
  EXPECT_EQ(static_weak, nullptr);
  EXPECT_EQ(dies, nullptr);
}

TEST(Persistent, ManyComeAndGo) {
  std::vector<Persistent<Link>> lists;
  for (std::size_t round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < mark::scaled(10'000); ++i) lists.emplace_back(new_list(2));
    for (std::size_t i = round % 2; i < lists.size(); i += 2) lists[i].clear();
    collect_exactly();
    std::erase(lists, nullptr);
    for (const Persistent<Link>& list : lists) expect_intact(list, 2);
  }
}

TEST(Persistent, MayDieOnAnotherThread) {
  constexpr std::size_t kThreads = 4;
  const std::size_t rounds = mark::scaled(2000);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      std::vector<Persistent<Link>> lists;
      for (std::size_t round = 0; round < rounds; ++round) {
        lists.emplace_back(new_list(10));
        if (lists.size() < 50) continue;
        for (const Persistent<Link>& list : lists) expect_intact(list, 10);
        std::thread([dying = std::move(lists)] {}).join();
        lists.clear();
      }
    });
  }
  for (std::size_t i = 0; i < rounds / 20; ++i) collect_garbage();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace jackdaw
