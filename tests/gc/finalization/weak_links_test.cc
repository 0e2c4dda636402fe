// WeakLinks: registering, moving and taking back; what a collection clears and what it forgets.
#include "gc/finalization/weak_links.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "gc/finalization/finalization.h"
#include "tests/address_space_limit.h"
#include "tests/gc/finalization/stopped_program.h"

namespace jackdaw::gc {
namespace {

using heap::Object;

class WeakLinksTest : public testing::Test {
 protected:
  // A link of the program's to `object`, registered.
  void** link_to(Object* object, WeakLinks& links) {
    words_.push_back(object);
    EXPECT_EQ(links.register_link(&words_.back(), object), LinkResult::success);
    return &words_.back();
  }
  WeakLinks& short_links() { return program_.tables.short_links; }
  WeakLinks& long_links() { return program_.tables.long_links; }

  StoppedProgram program_;
  std::deque<void*> words_;
};

TEST_F(WeakLinksTest, AreClearedWithTheirObjectAndKeepNone) {
  for (WeakLinks* const links : {&short_links(), &long_links()}) {
    Object* const object = program_.allocate();
    void** const link = link_to(object, *links);
    void** const second = link_to(object, *links);
    program_.roots = {object};
    program_.collect();
    EXPECT_EQ(*link, object);
    EXPECT_EQ(links->size(), 2U);
    program_.roots.clear();
    program_.collect();
    EXPECT_EQ(*link, nullptr);
    EXPECT_EQ(*second, nullptr);
    EXPECT_EQ(links->size(), 0U);
    EXPECT_FALSE(program_.is_there(object));
  }
}

TEST_F(WeakLinksTest, RegisteredAgainBelongToTheNewObjectAlone) {
  Object* const first = program_.allocate();
  Object* const second = program_.allocate();
  void** const link = link_to(first, short_links());
  EXPECT_EQ(short_links().register_link(link, second), LinkResult::duplicate);
  EXPECT_EQ(short_links().size(), 1U);
  program_.roots = {second};
  program_.collect();
  EXPECT_EQ(*link, first) << "what it holds is the program's affair";
  program_.roots.clear();
  program_.collect();
  EXPECT_EQ(*link, nullptr);
}

TEST_F(WeakLinksTest, TakenBackAreLeftAlone) {
  Object* const object = program_.allocate();
  void** const link = link_to(object, short_links());
  EXPECT_TRUE(short_links().unregister_link(link));
  EXPECT_FALSE(short_links().unregister_link(link));
  program_.collect();
  EXPECT_EQ(*link, object);
}

TEST_F(WeakLinksTest, AreMoved) {
  Object* const object = program_.allocate();
  void** const link = link_to(object, short_links());
  void* place = object;
  EXPECT_EQ(short_links().move_link(link, link), LinkResult::success);
  EXPECT_EQ(short_links().move_link(link, &place), LinkResult::success);
  EXPECT_EQ(short_links().move_link(link, &place), LinkResult::not_found);
  EXPECT_EQ(short_links().size(), 1U);
  program_.collect();
  EXPECT_EQ(*link, object);
  EXPECT_EQ(place, nullptr);
}

TEST_F(WeakLinksTest, AreNotMovedOverOthers) {
  Object* const first = program_.allocate();
  Object* const second = program_.allocate();
  void** const link = link_to(first, short_links());
  void** const other = link_to(second, short_links());
  EXPECT_EQ(short_links().move_link(link, other), LinkResult::duplicate);
  program_.roots = {second};
  program_.collect();
  EXPECT_EQ(*link, nullptr);
  EXPECT_EQ(*other, second);
}

// The table's fullest state before it grows: a move must find room without memory.
TEST_F(WeakLinksTest, AreMovedWithoutMemory) {
  Object* const object = program_.allocate();
  program_.roots = {object};
  std::vector<void*> words(2000);
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(short_links().register_link(&words[i], object), LinkResult::success);
    const AddressSpaceLimit no_memory(0);
    LinkResult forth = LinkResult::no_memory;
    LinkResult back = LinkResult::no_memory;
    forth = short_links().move_link(&words[i], &words[1999 - i]);
    back = short_links().move_link(&words[1999 - i], &words[i]);
    ASSERT_EQ(forth, LinkResult::success);
    ASSERT_EQ(back, LinkResult::success);
  }
}

TEST_F(WeakLinksTest, InDeadObjectsAreForgotten) {
  for (WeakLinks* const links : {&short_links(), &long_links()}) {
    Object* const object = program_.allocate();
    Object* const small_box = program_.allocate_data();
    Object* const big_box = program_.allocate_data(5000);
    *link_in(small_box, 3) = object;
    *link_in(big_box, 4999) = object;
    ASSERT_EQ(links->register_link(link_in(small_box, 3), object), LinkResult::success);
    ASSERT_EQ(links->register_link(link_in(big_box, 4999), object), LinkResult::success);
    program_.roots = {object, small_box, big_box};
    program_.collect();
    EXPECT_EQ(links->size(), 2U);
    program_.roots = {object, big_box};
    program_.collect();
    EXPECT_EQ(links->size(), 1U);
    program_.roots = {object};
    program_.collect();
    EXPECT_EQ(links->size(), 0U);
  }
}

TEST_F(WeakLinksTest, InFreedObjectsAreForgotten) {
  for (WeakLinks* const links : {&short_links(), &long_links()}) {
    for (const std::size_t words : StoppedProgram::kAllSizes) {
      for (const bool is_live : {true, false}) {
        Object* const object = program_.allocate();
        Object* const box = program_.allocate_data(words);
        Object* const next = program_.allocate_data(words);
        ASSERT_EQ(links->register_link(link_in(box, words - 1), object), LinkResult::success);
        ASSERT_EQ(links->register_link(link_in(next), object), LinkResult::success);
        program_.free(box);
        program_.free(next);
        program_.roots.assign(is_live ? 1 : 0, object);
        program_.collect();
        EXPECT_EQ(links->size(), 0U) << words;
      }
    }
  }
}

// Many objects of one length share a span, which stays with those that are live.
TEST_F(WeakLinksTest, InFreedSlotsAmongLiveOnesAreForgotten) {
  constexpr std::size_t kWords = 5000;
  Object* const object = program_.allocate();
  std::vector<Object*> freed;
  program_.roots.push_back(object);
  for (int i = 0; i < 40; ++i) {
    Object* const box = program_.allocate_data(kWords);
    (i % 2 == 0 ? freed : program_.roots).push_back(box);
    ASSERT_EQ(long_links().register_link(link_in(box), object), LinkResult::success);
    *link_in(box) = object;
  }
  for (Object* const box : freed) program_.free(box);
  program_.collect();
  EXPECT_EQ(long_links().size(), 20U);
  for (Object* const box : freed) EXPECT_EQ(*link_in(box), object);  // nothing was written there
}

TEST_F(WeakLinksTest, AreClearedWhenTheirObjectIsFreed) {
  for (WeakLinks* const links : {&short_links(), &long_links()}) {
    for (const std::size_t words : StoppedProgram::kAllSizes) {
      Object* const object = program_.allocate(words);
      Object* const next = program_.allocate(words);
      void** const link = link_to(object, *links);
      void** const other = link_to(next, *links);
      program_.free(object);
      program_.free(next);
      program_.collect();
      EXPECT_EQ(*link, nullptr) << words;
      EXPECT_EQ(*other, nullptr) << words;
      EXPECT_EQ(links->size(), 0U) << words;
    }
  }
}

TEST_F(WeakLinksTest, InScannedObjectsKeepTheirObject) {
  Object* const object = program_.allocate();
  Object* const box = program_.allocate();
  *link_in(box) = object;
  ASSERT_EQ(short_links().register_link(link_in(box), object), LinkResult::success);
  program_.roots = {box};
  program_.collect();
  EXPECT_EQ(*link_in(box), object);
}

TEST_F(WeakLinksTest, GrowToAHundredThousand) {
  constexpr std::size_t kLinks = 100'000;
  std::vector<void*> words(kLinks);
  for (std::size_t i = 0; i < kLinks; ++i) {
    Object* const object = program_.allocate();
    words[i] = object;
    if (i % 3 == 0) program_.roots.push_back(object);
    ASSERT_EQ(short_links().register_link(&words[i], object), LinkResult::success);
  }
  program_.collect_without_memory();
  for (std::size_t i = 0; i < kLinks; ++i) ASSERT_EQ(words[i] != nullptr, i % 3 == 0) << i;
  EXPECT_EQ(short_links().size(), program_.roots.size());
}

TEST_F(WeakLinksTest, ThatFindNoMemoryChangeNothing) {
  Object* const object = program_.allocate();
  std::vector<void*> words(100'000, object);
  std::size_t registered = 0;
  LinkResult result = LinkResult::success;
  {
    const AddressSpaceLimit limit(std::size_t{256} << 10);
    while ((result = short_links().register_link(&words[registered], object)) == LinkResult::success)
      ++registered;
  }
  EXPECT_EQ(result, LinkResult::no_memory);
  EXPECT_GT(registered, 500U);
  EXPECT_EQ(short_links().size(), registered);
  EXPECT_EQ(short_links().register_link(&words[registered], object), LinkResult::success) << "memory is back";
  program_.collect();
  for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i] == nullptr, i <= registered) << i;
}

}  // namespace
}  // namespace jackdaw::gc
