// StaticRoots: which ranges are scanned, and what of them when they cannot be read.
#include "gc/process/roots/static_roots.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/page_memory.h"
#include "tests/gc/process/hidden_lists.h"
#include "tests/gc/process/threads/loaded_library.h"

namespace jackdaw::gc {
namespace {

Link* volatile static_list = nullptr;

// Whether a collection would scan the word at `address`.
bool are_scanned(StaticRoots& roots, const volatile void* address) {
  bool found = false;
  EXPECT_TRUE(roots.take([] {}));
  roots.for_each([&](heap::Words words) {
    const auto sought = reinterpret_cast<std::uintptr_t>(address);
    const auto begin = reinterpret_cast<std::uintptr_t>(words.data());
    found = found || (begin <= sought && sought < begin + words.size_bytes());
  });
  roots.mutex().unlock();
  return found;
}

// Pages that are given back in the end; those in the middle may be made unreadable.
class Pages {
 public:
  explicit Pages(std::size_t count) : memory_(base::PageMemory::allocate(count * page_bytes())) {}
  ~Pages() { base::PageMemory::release(memory_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  static std::size_t page_bytes() { return static_cast<std::size_t>(getpagesize()); }
  std::byte* page(std::size_t index) { return memory_.data() + index * page_bytes(); }
  Link*& slot(std::size_t index) { return *reinterpret_cast<Link**>(page(index)); }
  std::byte* end() { return memory_.data() + memory_.size(); }

 private:
  std::span<std::byte> memory_;
};

// With addresses in it, so the loader writes it and protects it then.
const int kNumbers[] = {1, 2};
const int* const kAddresses[] = {&kNumbers[0], &kNumbers[1]};

TEST(StaticRoots, WhatTheLoaderHasProtectedIsNone) {
  StaticRoots roots;
  const int* const volatile* const address = kAddresses;
  EXPECT_NE(*address, nullptr);
  EXPECT_FALSE(are_scanned(roots, address));
  EXPECT_TRUE(are_scanned(roots, &static_list));
}

TEST(StaticRoots, StaticDataIsARoot) {
  const std::vector<HiddenAddress> hidden = put_list(static_list);
  collect_cleanly();
  EXPECT_EQ(still_there(hidden), kLength);
  static_list = nullptr;
  collect_cleanly();
  EXPECT_LT(still_there(hidden), kLength);
}

TEST(StaticRoots, AddedRangesAreRootsUntilTheyAreRemoved) {
  Pages pages(1);
  const std::vector<HiddenAddress> hidden = put_list(pages.slot(0));
  collector().roots().static_data().add(&pages.slot(0), &pages.slot(0) + 1);
  collect_cleanly();
  EXPECT_EQ(still_there(hidden), kLength);
  collector().roots().static_data().remove(&pages.slot(0), &pages.slot(0) + 1);
  collect_cleanly();
  EXPECT_LT(still_there(hidden), kLength);
}

TEST(StaticRoots, OnlyWholeRangesAreRemoved) {
  StaticRoots roots;
  Pages pages(4);
  roots.add(pages.page(0), pages.page(1));
  roots.add(pages.page(1), pages.page(3));
  roots.remove(pages.page(0), pages.page(2));
  EXPECT_FALSE(are_scanned(roots, pages.page(0)));
  EXPECT_TRUE(are_scanned(roots, pages.page(1)));
  EXPECT_TRUE(are_scanned(roots, pages.page(2)));
  roots.remove(pages.page(0), pages.end());
  EXPECT_FALSE(are_scanned(roots, pages.page(1)));
}

TEST(StaticRoots, ClearingTakesAwayTheProgramsDataButNoLibrarys) {
  StaticRoots roots;
  Pages pages(1);
  const LoadedLibrary library;
  roots.add(pages.page(0), pages.end());
  EXPECT_TRUE(are_scanned(roots, &static_list));
  roots.clear();
  EXPECT_FALSE(are_scanned(roots, &static_list));
  EXPECT_FALSE(are_scanned(roots, pages.page(0)));
  EXPECT_TRUE(are_scanned(roots, &library.static_slot()));
}

TEST(StaticRoots, ExclusionsCutRangesUntilTheyAreCleared) {
  StaticRoots roots;
  Pages pages(5);
  roots.add(pages.page(0), pages.end());
  roots.exclude(pages.page(1), pages.page(2));
  roots.exclude(pages.page(3), pages.page(4));
  roots.exclude(const_cast<Link**>(&static_list), const_cast<Link**>(&static_list + 1));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(are_scanned(roots, pages.page(i)), i % 2 == 0) << i;
  EXPECT_FALSE(are_scanned(roots, &static_list));
  roots.clear_exclusions();
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(are_scanned(roots, pages.page(i))) << i;
  EXPECT_TRUE(are_scanned(roots, &static_list));
}

bool is_another_library(const char* library, const void*, std::size_t) {
  return std::string_view(library) != JACKDAW_LOADED_LIBRARY;
}

TEST(StaticRoots, LibrariesAreScannedAsTold) {
  StaticRoots roots;
  const LoadedLibrary library;
  EXPECT_TRUE(are_scanned(roots, &library.static_slot()));
  roots.set_library_filter(is_another_library);
  EXPECT_FALSE(are_scanned(roots, &library.static_slot()));
  EXPECT_TRUE(are_scanned(roots, stdout));
  roots.set_library_filter(nullptr);
  EXPECT_TRUE(are_scanned(roots, &library.static_slot()));
  roots.set_scans_libraries(false);
  EXPECT_FALSE(roots.scans_libraries());
  EXPECT_FALSE(are_scanned(roots, &library.static_slot()));
  EXPECT_TRUE(are_scanned(roots, &static_list));
}

TEST(StaticRoots, ALibrarysDataAreARootWhileItIsOpen) {
  auto library = std::make_unique<LoadedLibrary>();
  const std::vector<HiddenAddress> hidden = put_list(reinterpret_cast<Link*&>(library->static_slot()));
  collect_cleanly();
  EXPECT_EQ(still_there(hidden), kLength);
  const std::uint64_t unloaded = collector().roots().static_data().unloaded();
  library.reset();
  collect_cleanly();
  EXPECT_LT(still_there(hidden), kLength);
  EXPECT_GT(collector().roots().static_data().unloaded(), unloaded);
}

TEST(StaticRoots, PagesThatCannotBeReadAreLeftOut) {
  Pages pages(4);
  std::array<std::vector<HiddenAddress>, 2> hidden{put_list(pages.slot(0)), put_list(pages.slot(3))};
  ASSERT_EQ(mprotect(pages.page(1), Pages::page_bytes(), PROT_NONE), 0);
  ASSERT_EQ(munmap(pages.page(2), Pages::page_bytes()), 0);
  collector().roots().static_data().add(pages.page(0), pages.end());
  collect_cleanly();
  for (const auto& list : hidden) EXPECT_EQ(still_there(list), kLength);
  collector().roots().static_data().remove(pages.page(0), pages.end());
}

TEST(StaticRoots, ARangeMayBeUnmappedWithoutBeingRemoved) {
  const void* begin = nullptr;
  const void* end = nullptr;
  {
    Pages pages(2);
    begin = pages.page(0);
    end = pages.end();
    collector().roots().static_data().add(begin, end);
    collect_cleanly();
  }
  const std::uint64_t before = collector().collections();
  collect_cleanly();
  EXPECT_EQ(collector().collections(), before + 1);
  collector().roots().static_data().remove(begin, end);
}

TEST(StaticRoots, TheCollectorsOwnMemoryMayLieInARangeThatWasUnmapped) {
  constexpr std::size_t kRoots = 20000;
  Pages kept(kRoots * sizeof(Link*) / Pages::page_bytes() + 1);
  auto* const slots = &kept.slot(0);
  for (std::size_t i = 0; i < kRoots; ++i) slots[i] = new_link(nullptr, i);
  collector().roots().static_data().add(slots, slots + kRoots);
  {
    Pages unmapped(256);
    collector().roots().static_data().add(unmapped.page(0), unmapped.end());
  }
  collector().collect();
  for (std::size_t i = 0; i < kRoots; ++i) ASSERT_EQ(slots[i]->value, i);
  collector().roots().static_data().remove(slots, slots + kRoots);
}

}  // namespace
}  // namespace jackdaw::gc
