// Finalization: the order of things between marking and sweeping.
#include "gc/finalization/finalization.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/gc/finalization/stopped_program.h"

namespace jackdaw::gc {
namespace {

using heap::Object;

class FinalizationTest : public testing::Test {
 protected:
  // A short and a long link to an object, both registered.
  struct Links {
    void* short_link;
    void* long_link;
  };
  void link(Links& links, Object* object) {
    links = {object, object};
    EXPECT_EQ(program_.tables.short_links.register_link(&links.short_link, object), LinkResult::success);
    EXPECT_EQ(program_.tables.long_links.register_link(&links.long_link, object), LinkResult::success);
  }

  StoppedProgram program_;
};

TEST_F(FinalizationTest, ShortLinksAreClearedBeforeAFinalizerCanBringTheObjectBack) {
  Object* const object = program_.allocate();
  Object* const inner = program_.allocate();
  *object->slot(0) = inner;
  ASSERT_TRUE(register_finalizer(program_.tables, object, FinalizerKind::ordered));
  Links links{};
  Links inner_links{};
  link(links, object);
  link(inner_links, inner);
  program_.collect();
  EXPECT_EQ(links.short_link, nullptr);
  EXPECT_EQ(inner_links.short_link, nullptr) << "it was reached from the object alone";
  EXPECT_EQ(links.long_link, object);
  EXPECT_EQ(inner_links.long_link, inner);
  program_.roots = program_.take_ready();
  ASSERT_EQ(program_.roots, std::vector{object});
  program_.collect();
  EXPECT_EQ(links.long_link, object) << "it was brought back";
  program_.roots.clear();
  program_.collect();
  EXPECT_EQ(links.long_link, nullptr);
  EXPECT_EQ(inner_links.long_link, nullptr);
}

TEST_F(FinalizationTest, LongLinksLastWhileAFinalizerWaits) {
  Object* const object = program_.allocate();
  ASSERT_TRUE(register_finalizer(program_.tables, object, FinalizerKind::no_order));
  Links links{};
  link(links, object);
  for (int i = 0; i < 3; ++i) {
    program_.collect();
    EXPECT_EQ(links.long_link, object);
  }
  program_.take_ready();
  program_.collect();
  EXPECT_EQ(links.long_link, nullptr);
}

// A link in an object that a finalizer keeps is no dangling one.
TEST_F(FinalizationTest, LinksInsideObjectsThatWaitStayRegistered) {
  Object* const owner = program_.allocate();
  Object* const box = program_.allocate_data();
  Object* const target = program_.allocate();
  *owner->slot(0) = box;
  *link_in(box, 0) = target;
  *link_in(box, 1) = target;
  ASSERT_EQ(program_.tables.short_links.register_link(link_in(box, 0), target), LinkResult::success);
  ASSERT_EQ(program_.tables.long_links.register_link(link_in(box, 1), target), LinkResult::success);
  ASSERT_TRUE(register_finalizer(program_.tables, owner, FinalizerKind::ordered));
  program_.roots = {target};
  program_.collect();
  EXPECT_EQ(program_.tables.short_links.size(), 1U);
  EXPECT_EQ(program_.tables.long_links.size(), 1U);
  program_.roots.clear();
  program_.collect();
  EXPECT_EQ(*link_in(box, 0), nullptr);
  EXPECT_EQ(*link_in(box, 1), nullptr);
  EXPECT_EQ(program_.tables.short_links.size(), 0U);
  EXPECT_EQ(program_.tables.long_links.size(), 0U);
}

// The purpose of a short link in an object itself: a pointer that does not count in the finalizers' order is
// one that the collector cannot see, which the link clears in time.
TEST_F(FinalizationTest, AHiddenLinkDoesNotHoldAFinalizerBack) {
  Object* const object = program_.allocate_data();
  Object* const other = program_.allocate_data();
  for (Object* const one : {object, other}) {
    *link_in(one) = one == object ? other : object;
    ASSERT_EQ(program_.tables.short_links.register_link(link_in(one), one), LinkResult::success);
    ASSERT_TRUE(register_finalizer(program_.tables, one, FinalizerKind::ordered));
  }
  program_.collect();
  EXPECT_EQ(program_.take_ready().size(), 2U);
  EXPECT_EQ(*link_in(object), nullptr);
  EXPECT_EQ(*link_in(other), nullptr);
}

}  // namespace
}  // namespace jackdaw::gc
