// AddressTable: the same contents as a map of the standard library, whatever is inserted and erased.
#include "gc/weak/address_table.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "mark/random_numbers.h"
#include "tests/address_space_limit.h"

namespace jackdaw::gc {
namespace {

using Table = AddressTable<std::uint64_t>;
using Model = std::unordered_map<std::uintptr_t, std::uint64_t>;

void expect_same(const Table& table, const Model& model) {
  ASSERT_EQ(table.size(), model.size());
  std::size_t visited = 0;
  table.for_each([&](std::uintptr_t address, std::uint64_t value) {
    ++visited;
    const auto found = model.find(address);
    ASSERT_NE(found, model.end()) << address;
    ASSERT_EQ(value, found->second);
  });
  EXPECT_EQ(visited, model.size());
  for (const auto& [address, value] : model) {
    const std::uint64_t* const found = table.find(address);
    ASSERT_NE(found, nullptr) << address;
    ASSERT_EQ(*found, value);
  }
}

TEST(AddressTable, AnEmptyOneHasNothing) {
  Table table;
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.find(16), nullptr);
  EXPECT_FALSE(table.erase(16));
  table.clear();
  table.erase_if([](std::uintptr_t, std::uint64_t) { return true; });
  expect_same(table, {});
}

TEST(AddressTable, TellsNewAddressesFromOldOnes) {
  Table table;
  const Table::Insertion first = table.insert(16);
  ASSERT_NE(first.value, nullptr);
  EXPECT_TRUE(first.is_new);
  EXPECT_EQ(*first.value, 0U);
  *first.value = 3;
  const Table::Insertion second = table.insert(16);
  EXPECT_EQ(second.value, first.value);
  EXPECT_FALSE(second.is_new);
  EXPECT_EQ(table.size(), 1U);
  EXPECT_TRUE(table.erase(16));
  EXPECT_EQ(*table.insert(16).value, 0U) << "what was erased must not come back";
}

// Few addresses, so that each is inserted and erased many times, in clusters that wrap around the array's
// end.
TEST(AddressTable, IsAMapThroughRandomOperations) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    mark::RandomNumbers random(seed);
    Table table;
    Model model;
    const std::uint32_t addresses = 180 + 300 * static_cast<std::uint32_t>(seed);
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const std::uintptr_t address = 0x7f00'0000'0000 + 16 * std::uintptr_t{random.below(addresses)};
      if (random.below(5) < 3) {
        *table.insert(address).value = i;
        model[address] = i;
      } else {
        ASSERT_EQ(table.erase(address), model.erase(address) == 1);
      }
    }
    expect_same(table, model);
  }
}

// As many as have room in the first array, so that rows of entries are long, and some wrap around its end.
TEST(AddressTable, ErasesWhatThePredicateNames) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    mark::RandomNumbers random(seed);
    Table table;
    Model model;
    while (model.size() < 192) {
      const std::uintptr_t address = 8 * std::uintptr_t{1 + random.below(100'000)};
      const std::uint64_t value = random.below(100);
      *table.insert(address).value = value;
      model[address] = value;
    }
    const auto is_unwanted = [&](std::uint64_t value) { return value < seed / 4; };
    std::size_t asked = 0;
    table.erase_if([&](std::uintptr_t, std::uint64_t value) {
      ++asked;
      return is_unwanted(value);
    });
    EXPECT_EQ(asked, model.size());
    std::erase_if(model, [&](const auto& entry) { return is_unwanted(entry.second); });
    expect_same(table, model);
    *table.insert(7).value = 1;  // it finds its place between the others
    model[7] = 1;
    expect_same(table, model);
  }
}

TEST(AddressTable, GrowsToAHundredThousandAndIsCleared) {
  Table table;
  Model model;
  for (std::uintptr_t i = 1; i <= 100'000; ++i) {
    *table.insert(16 * i).value = i;
    model[16 * i] = i;
  }
  expect_same(table, model);
  table.clear();
  expect_same(table, {});
  EXPECT_EQ(table.find(16), nullptr);
  EXPECT_TRUE(table.insert(16).is_new);
}

// With lengths that double it would take 2 MiB and, for the next length, 4 at once.
TEST(AddressTable, GrowsInStepsThatAreNotTooLarge) {
  Table table;
  const AddressSpaceLimit limit(std::size_t{5} << 20);
  for (std::uintptr_t i = 1; i <= 100'000; ++i) ASSERT_NE(table.insert(16 * i).value, nullptr) << i;
}

TEST(AddressTable, KeepsItsContentsWhenThereIsNoMemory) {
  Table table;
  std::uintptr_t inserted = 0;
  {
    const AddressSpaceLimit limit(std::size_t{1} << 20);
    for (Table::Insertion insertion; (insertion = table.insert(16 * (inserted + 1))).value != nullptr;)
      *insertion.value = ++inserted;
  }
  EXPECT_GT(inserted, 1000U);
  EXPECT_LT(inserted * 16, std::size_t{1} << 20);
  Model model;
  for (std::uintptr_t i = 1; i <= inserted; ++i) model[16 * i] = i;
  expect_same(table, model);
  EXPECT_EQ(*table.insert(16).value, 1U);
  EXPECT_TRUE(table.insert(16 * (inserted + 1)).is_new) << "there is memory again";
}

}  // namespace
}  // namespace jackdaw::gc
