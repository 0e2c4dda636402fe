// Many threads make, share and drop objects of C++ types while collections come.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "gc/cpp/collect_garbage.h"
#include "gc/cpp/ephemeron.h"
#include "gc/cpp/make_garbage_collected.h"
#include "gc/cpp/persistent.h"
#include "gc/cpp/weak_map.h"
#include "tests/gc/cpp/lists.h"
#include "tests/scaled.h"

namespace jackdaw {
namespace {

TEST(CppThreads, TheStacksOfOthersAreSearchedInAnyCase) {
  std::atomic<bool> is_ready{false};
  std::atomic<bool> stop{false};
  std::thread other([&] {
    Link* const list = new_list(1000);
    is_ready.store(true);
    while (!stop.load()) std::this_thread::yield();
    expect_intact(list, 1000);
  });
  while (!is_ready.load()) std::this_thread::yield();
  for (int i = 0; i < 5; ++i) {
    collect_exactly();
    new_list(1000);
  }
  stop.store(true);
  other.join();
}

// Counts its objects, and so what is made and destroyed.
struct Token : GarbageCollected<Token> {
  explicit Token(std::atomic<std::int64_t>& alive, Link* list) : count(alive), links(list) { ++count; }
  ~Token() { --count; }
  void Trace(Visitor* visitor) const { visitor->Trace(links); }
  std::atomic<std::int64_t>& count;
  Member<Link> links;
};

struct Table : GarbageCollected<Table> {
  void Trace(Visitor* visitor) const {
    visitor->Trace(tokens);
    visitor->Trace(weak);
    visitor->Trace(lists);
  }
  std::array<Member<Token>, 64> tokens;
  std::array<WeakMember<Token>, 64> weak;
  WeakMap<Token, Link> lists;
};

// One thread's work: `table` and `mutex` are shared.
void use_table(Table& table, std::mutex& mutex, std::atomic<std::int64_t>& alive, std::size_t rounds) {
  for (std::size_t round = 0; round < rounds; ++round) {
    Token* const token = MakeGarbageCollected<Token>(alive, new_list(round % 20));
    Link* const list = new_list(5);
    const std::size_t place = round * 7 % 64;
    Token* old = nullptr;
    Token* weak = nullptr;
    {
      const std::lock_guard lock(mutex);
      old = table.tokens[place];
      weak = table.weak[place];
      table.tokens[place] = token;
      table.weak[(place + 1) % 64] = token;
      table.lists.set(token, list);
      if (old != nullptr) expect_intact(table.lists.find(old), 5);
    }
    if (weak != nullptr) {
      const Link* const last = weak->links;
      expect_intact(last, last == nullptr ? 0 : hidden_links(last).size());
    }
  }
}

TEST(CppThreads, ShareObjectsThatComeAndGo) {
  constexpr std::size_t kThreads = 8;
  const std::size_t rounds = mark::scaled(4000);
  std::atomic<std::int64_t> alive{0};
  std::mutex mutex;
  Persistent<Table> table(MakeGarbageCollected<Table>());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&] { use_table(*table, mutex, alive, rounds); });
  for (std::size_t i = 0; i < rounds / 40; ++i) collect_garbage();
  for (std::thread& thread : threads) thread.join();
  collect_exactly();
  EXPECT_EQ(alive.load(), 64);
  table.clear();
  collect_exactly();
  EXPECT_EQ(alive.load(), 0);
}

}  // namespace
}  // namespace jackdaw
