// WeakMap: entries go with their keys, and come back under no other.
#include "gc/cpp/weak_map.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "gc/cpp/persistent.h"
#include "tests/gc/cpp/lists.h"
#include "tests/scaled.h"

namespace jackdaw {
namespace {

struct Cache : GarbageCollected<Cache> {
  void Trace(Visitor* visitor) const { visitor->Trace(map); }
  WeakMap<Link, Link> map;
};

std::size_t size_of(const Cache& cache) {
  std::size_t size = 0;
  cache.map.for_each([&](Link&, Link&) { ++size; });
  return size;
}

TEST(WeakMap, FindsSetsAndErases) {
  Persistent<Cache> cache(MakeGarbageCollected<Cache>());
  const Persistent<Link> key(new_list(1));
  EXPECT_EQ(cache->map.find(key), nullptr);
  EXPECT_FALSE(cache->map.erase(key));
  cache->map.set(key, new_list(2));
  expect_intact(cache->map.find(key), 2);
  cache->map.set(key, new_list(3));
  collect_exactly();
  expect_intact(cache->map.find(key), 3);
  EXPECT_EQ(size_of(*cache), 1U);
  EXPECT_TRUE(cache->map.erase(key));
  EXPECT_EQ(cache->map.find(key), nullptr);
  EXPECT_EQ(size_of(*cache), 0U);
}

// Against a map outside of the heap, with keys that die at random.
TEST(WeakMap, HoldsWhatAMapHoldsLessTheDeadKeys) {
  Persistent<Cache> cache(MakeGarbageCollected<Cache>());
  std::mt19937_64 random(1);
  std::map<std::uint64_t, Persistent<Link>> keys;
  std::uint64_t next = 0;
  const std::size_t changes = mark::scaled(10'000);
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < changes; ++i) {
      Link* const key = MakeGarbageCollected<Link>(nullptr, next);
      cache->map.set(key, MakeGarbageCollected<Link>(key, ~next));
      if (random() % 2 == 0) keys.emplace(next, key);
      ++next;
    }
    std::erase_if(keys, [&](auto&) { return random() % 3 == 0; });
    for (auto& [number, key] : keys) {
      if (random() % 4 != 0) continue;
      EXPECT_TRUE(cache->map.erase(key));
      EXPECT_FALSE(cache->map.erase(key));
      EXPECT_EQ(cache->map.find(key), nullptr);
      cache->map.set(key, MakeGarbageCollected<Link>(key, ~number));
    }
    collect_exactly();
    for (const auto& [number, key] : keys) {
      ASSERT_NE(cache->map.find(key), nullptr);
      ASSERT_EQ(cache->map.find(key)->value, ~number);
    }
    ASSERT_EQ(size_of(*cache), keys.size());
  }
}

TEST(WeakMap, DoesNotGrowWhenKeysComeAndGo) {
  Persistent<Cache> cache(MakeGarbageCollected<Cache>());
  std::uint64_t live_bytes = 0;
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < mark::scaled(10'000); ++i) cache->map.set(new_list(1), new_list(1));
    collect_exactly();
    if (round == 9) live_bytes = heap_statistics().live_bytes;
  }
  EXPECT_EQ(size_of(*cache), 0U);
  EXPECT_LE(heap_statistics().live_bytes, 2 * live_bytes);
}

}  // namespace
}  // namespace jackdaw
