// drop_all_objects: persistent handles and destructors.
#include <gtest/gtest.h>

#include <cstdint>

#include "gc/cpp/collect_garbage.h"
#include "gc/cpp/make_garbage_collected.h"
#include "gc/cpp/member.h"
#include "gc/cpp/persistent.h"
#include "tests/gc/cpp/lists.h"

namespace jackdaw {
namespace {

struct WeakLink : GarbageCollected<WeakLink> {
  explicit WeakLink(Link* weak_link) : link(weak_link) {}
  void Trace(Visitor* visitor) const { visitor->Trace(link); }
  WeakMember<Link> link;
};

TEST(DropAllObjects, HandlesBecomeNullAndTheHeapWorks) {
  Persistent<Link> strong(new_list(100'000));
  WeakPersistent<Link> weak(strong);
  const Persistent<WeakLink> member(MakeGarbageCollected<WeakLink>(strong));
  collect_exactly();
  drop_all_objects();
  EXPECT_EQ(strong, nullptr);
  EXPECT_EQ(weak, nullptr);
  EXPECT_EQ(member, nullptr);
  EXPECT_EQ(heap_statistics().live_bytes, 0U);
  strong = new_list(1000);
  weak = strong;
  collect_exactly();
  expect_intact(strong, 1000);
  EXPECT_EQ(weak, strong);
}

int destructions = 0;
struct DropsInDestructor : GarbageCollected<DropsInDestructor> {
  explicit DropsInDestructor(bool drops) : drops_others(drops) {}
  ~DropsInDestructor() {
    EXPECT_EQ(text, 0x1234U);
    if (drops_others) drop_all_objects();
    EXPECT_EQ(text, 0x1234U) << "an object that was found dead stays until it is destroyed";
    ++destructions;
  }
  void Trace(Visitor*) const {}
  bool drops_others;
  std::uint64_t text = 0x1234;
};

[[gnu::noinline]] void make_some(int count, bool drops) {
  for (int i = 0; i < count; ++i) MakeGarbageCollected<DropsInDestructor>(drops && i == 0);
}

TEST(DropAllObjects, DestructorsAreNotCalled) {
  make_some(100, false);
  drop_all_objects();
  collect_exactly();
  EXPECT_EQ(destructions, 0);
}

TEST(DropAllObjects, InADestructorTheOthersThatWaitAreCalledStill) {
  make_some(100, true);
  collect_exactly();
  EXPECT_EQ(destructions, 100);
}

}  // namespace
}  // namespace jackdaw
