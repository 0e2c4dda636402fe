// WeakMember: null from the collection on that finds its object dead, and not before.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "gc/cpp/collect_garbage.h"
#include "gc/cpp/make_garbage_collected.h"
#include "gc/cpp/persistent.h"
#include "tests/gc/cpp/lists.h"
#include "tests/scaled.h"

namespace jackdaw {
namespace {

struct Observer : GarbageCollected<Observer> {
  void Trace(Visitor* visitor) const {
    visitor->Trace(watched);
    visitor->Trace(kept);
  }
  WeakMember<Link> watched;
  Member<Link> kept;
};

TEST(WeakMember, BecomesNullWhenItsObjectDies) {
  Persistent<Observer> observer(MakeGarbageCollected<Observer>());
  observer->watched = new_list(2);
  collect_exactly();
  EXPECT_EQ(observer->watched, nullptr);
}

TEST(WeakMember, StaysWhileSomethingElseKeepsItsObject) {
  Persistent<Observer> observer(MakeGarbageCollected<Observer>());
  observer->kept = new_list(2);
  observer->watched = observer->kept->next;
  for (int i = 0; i < 3; ++i) collect_exactly();
  ASSERT_NE(observer->watched, nullptr);
  EXPECT_EQ(observer->watched->value, 1U);
  observer->kept = nullptr;
  collect_exactly();
  EXPECT_EQ(observer->watched, nullptr);
}

TEST(WeakMember, OnAStackItIsAsStrongAsAnyPointer) {
  WeakMember<Link> list(new_list(1000));
  collect_garbage();
  new_list(1000);
  expect_intact(list, 1000);
}

struct Animal : GarbageCollectedMixin {
  std::uint64_t legs = 4;

 protected:
  ~Animal() = default;
};
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is never deleted
struct Cat final : GarbageCollected<Cat>, Animal {
  void Trace(Visitor*) const override {}
};
struct AnimalObserver : GarbageCollected<AnimalObserver> {
  void Trace(Visitor* visitor) const {
    visitor->Trace(watched);
    visitor->Trace(kept);
  }
  WeakMember<Animal> watched;
  Member<Cat> kept;
};

TEST(WeakMember, MayReferToAMixin) {
  Persistent<AnimalObserver> observer(MakeGarbageCollected<AnimalObserver>());
  observer->kept = MakeGarbageCollected<Cat>();
  observer->watched = observer->kept;
  collect_exactly();
  ASSERT_NE(observer->watched, nullptr);
  EXPECT_EQ(observer->watched->legs, 4U);
  observer->kept = nullptr;
  collect_exactly();
  EXPECT_EQ(observer->watched, nullptr);
}

// More than fits in one segment of noted slots, every other one dead.
struct ManyWeak : GarbageCollected<ManyWeak> {
  static constexpr std::size_t kCount = 100;
  explicit ManyWeak(ManyWeak* next_of_list) : next(next_of_list) {}
  void Trace(Visitor* visitor) const {
    visitor->Trace(weak);
    visitor->Trace(strong);
    visitor->Trace(next);
  }
  std::array<WeakMember<Link>, kCount> weak;
  std::array<Member<Link>, kCount> strong;
  Member<ManyWeak> next;
};

TEST(WeakMember, ManyAreClearedInParallel) {
  Persistent<ManyWeak> all;
  for (std::size_t i = 0; i < mark::scaled(1000); ++i) {
    all = MakeGarbageCollected<ManyWeak>(all);
    for (std::size_t j = 0; j < ManyWeak::kCount; ++j) {
      all->weak[j] = new_list(1);
      if (j % 2 == 0) all->strong[j] = all->weak[j];
    }
  }
  for (int i = 0; i < 2; ++i) {
    collect_exactly();
    for (const ManyWeak* some = all; some != nullptr; some = some->next) {
      for (std::size_t j = 0; j < ManyWeak::kCount; ++j) ASSERT_EQ(some->weak[j], some->strong[j]);
    }
  }
}

}  // namespace
}  // namespace jackdaw
