// EphemeronTable: all values of a key, and no others, for one thread and for several.
#include "gc/weak/ephemeron_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "mark/random_numbers.h"
#include "tests/address_space_limit.h"

namespace jackdaw::gc {
namespace {

// The table never looks at an object: any address will do.
heap::Object* object(std::uint64_t number) {
  return reinterpret_cast<heap::Object*>(16 * (number + 1));  // NOLINT(performance-no-int-to-ptr)
}

std::vector<heap::Object*> values_of(const EphemeronTable& table, const heap::Object* key) {
  std::vector<heap::Object*> values;
  table.for_each_value_of(key, [&](heap::Object* value) { values.push_back(value); });
  return values;
}

using Values = std::vector<heap::Object*>;

TEST(EphemeronTable, AKeyHasAllItsValuesTheNewestFirst) {
  EphemeronTable table;
  EXPECT_TRUE(values_of(table, object(0)).empty());
  ASSERT_TRUE(table.insert(object(0), object(1)));
  ASSERT_TRUE(table.insert(object(2), object(3)));
  ASSERT_TRUE(table.insert(object(0), object(4)));
  ASSERT_TRUE(table.insert(object(0), object(1)));
  EXPECT_EQ(table.size(), 4U);
  EXPECT_EQ(values_of(table, object(0)), (Values{object(1), object(4), object(1)}));
  EXPECT_EQ(values_of(table, object(2)), Values{object(3)});
  EXPECT_TRUE(values_of(table, object(1)).empty()) << "a value is no key";
}

TEST(EphemeronTable, IsEmptyAfterItIsCleared) {
  EphemeronTable table;
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(table.insert(object(i % 10), object(i)));
    EXPECT_EQ(values_of(table, object(3)).size(), 100U);
    table.clear();
    EXPECT_EQ(table.size(), 0U);
    EXPECT_TRUE(values_of(table, object(3)).empty());
  }
}

TEST(EphemeronTable, IsReadBySeveralThreads) {
  constexpr std::uint32_t kKeys = 20'000;
  EphemeronTable table;
  std::vector<Values> model(kKeys);
  mark::RandomNumbers random(1);
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint32_t key = random.below(kKeys);
    ASSERT_TRUE(table.insert(object(key), object(i)));
    model[key].push_back(object(i));
  }
  for (Values& values : model) std::reverse(values.begin(), values.end());
  std::vector<std::size_t> differences(4);
  std::vector<std::thread> threads;
  threads.reserve(differences.size());
  for (std::size_t& count : differences) {
    threads.emplace_back([&] {
      for (std::uint32_t key = 0; key < kKeys; ++key) count += values_of(table, object(key)) != model[key];
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t count : differences) EXPECT_EQ(count, 0U);
}

// Memory ends when the pairs want it (few keys), or the keys (a key for each pair).
TEST(EphemeronTable, KeepsItsPairsWhenThereIsNoMemory) {
  for (const std::uint64_t keys : {std::uint64_t{10}, std::uint64_t{1} << 40}) {
    EphemeronTable table;
    std::uint64_t inserted = 0;
    {
      const AddressSpaceLimit limit(std::size_t{1} << 20);
      while (table.insert(object(inserted % keys), object(inserted))) ++inserted;
    }
    ASSERT_EQ(table.size(), inserted);
    EXPECT_GT(inserted, 1000U);
    if (keys > inserted) {
      EXPECT_TRUE(values_of(table, object(inserted)).empty());
    }
    for (std::uint64_t key = 0; key < std::min(keys, inserted); ++key) {
      const Values values = values_of(table, object(key));
      ASSERT_EQ(values.size(), (inserted - key + keys - 1) / keys);
      EXPECT_EQ(values.back(), object(key));
    }
    EXPECT_TRUE(table.insert(object(inserted % keys), object(inserted))) << "there is memory again";
  }
}

}  // namespace
}  // namespace jackdaw::gc
