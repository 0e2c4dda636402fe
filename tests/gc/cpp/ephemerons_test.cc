// Ephemeron: the value lives as long as the key does by other ways; long chains are followed in any order.
#include "gc/cpp/ephemeron.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gc/cpp/containers.h"
#include "gc/cpp/persistent.h"
#include "tests/gc/cpp/lists.h"
#include "tests/scaled.h"

namespace jackdaw {
namespace {

struct Box;

struct Pair : GarbageCollected<Pair> {
  Pair(Box* key, Box* value, Pair* next_pair) : pair(key, value), next(next_pair) {}
  void Trace(Visitor* visitor) const {
    visitor->Trace(pair);
    visitor->Trace(next);
  }
  Ephemeron<Box, Box> pair;
  Member<Pair> next;
};

struct Box : GarbageCollected<Box> {
  explicit Box(std::size_t number_of_box) : number(number_of_box) {}
  void Trace(Visitor* visitor) const {
    visitor->Trace(pairs);
    visitor->Trace(box);
  }
  std::size_t number;
  Member<Pair> pairs;
  Member<Box> box;
};

TEST(Ephemeron, TheValueLivesWithTheKey) {
  Persistent<Box> key(MakeGarbageCollected<Box>(1U));
  Persistent<Pair> pair(MakeGarbageCollected<Pair>(key.get(), MakeGarbageCollected<Box>(2U), nullptr));
  collect_exactly();
  ASSERT_NE(pair->pair.value(), nullptr);
  EXPECT_EQ(pair->pair.key(), key.get());
  EXPECT_EQ(pair->pair.value()->number, 2U);
  const HiddenObject value(pair->pair.value());
  key.clear();
  collect_exactly();
  EXPECT_EQ(pair->pair.key(), nullptr);
  EXPECT_EQ(pair->pair.value(), nullptr);
  EXPECT_FALSE(value.is_alive());
}

TEST(Ephemeron, AValueThatRefersToItsKeyDoesNotKeepIt) {
  Persistent<Pair> pair;
  [&] {
    Box* const key = MakeGarbageCollected<Box>(1U);
    Box* const value = MakeGarbageCollected<Box>(2U);
    value->box = key;
    pair = MakeGarbageCollected<Pair>(key, value, nullptr);
  }();
  collect_exactly();
  EXPECT_EQ(pair->pair.key(), nullptr);
}

TEST(Ephemeron, WithoutAValueItIsAWeakReference) {
  Persistent<Box> kept(MakeGarbageCollected<Box>(1U));
  Persistent<Pair> pairs(MakeGarbageCollected<Pair>(kept.get(), nullptr, nullptr));
  pairs = MakeGarbageCollected<Pair>(MakeGarbageCollected<Box>(2U), nullptr, pairs.get());
  pairs = MakeGarbageCollected<Pair>(nullptr, nullptr, pairs.get());
  collect_exactly();
  EXPECT_EQ(pairs->next->pair.key(), nullptr);
  EXPECT_EQ(pairs->next->next->pair.key(), kept.get());
}

// Kinds of keys and values that are visited in other ways than most objects.
struct Number : GarbageCollectedLeaf<Number> {
  explicit Number(std::uint64_t what) : number(what) {}
  std::uint64_t number;
};
struct Owner : GarbageCollected<Owner> {
  explicit Owner(Number* number_of_owner) : number(number_of_owner) {}
  ~Owner() { ++destroyed_; }
  void Trace(Visitor* visitor) const { visitor->Trace(number); }
  Member<Number> number;
  static int destroyed_;
};
int Owner::destroyed_ = 0;
struct Pairs : GarbageCollected<Pairs> {
  void Trace(Visitor* visitor) const {
    visitor->Trace(by_number);
    visitor->Trace(by_owner);
    visitor->Trace(owner);
  }
  Ephemeron<Number, Owner> by_number;
  Ephemeron<Owner, Number> by_owner;
  Member<Owner> owner;
};

// The keys are found after the ephemerons: a leaf, and an object with a destructor.
TEST(Ephemeron, KeysMayBeOfAnyKind) {
  Persistent<Pairs> pairs(MakeGarbageCollected<Pairs>());
  [&] {
    auto* const number = MakeGarbageCollected<Number>(7U);
    pairs->owner = MakeGarbageCollected<Owner>(number);
    pairs->by_number.set(number, MakeGarbageCollected<Owner>(MakeGarbageCollected<Number>(8U)));
    pairs->by_owner.set(pairs->by_number.value(), MakeGarbageCollected<Number>(9U));
  }();
  for (int i = 0; i < 2; ++i) {
    collect_exactly();
    ASSERT_NE(pairs->by_number.value(), nullptr);
    EXPECT_EQ(pairs->by_number.value()->number->number, 8U);
    ASSERT_NE(pairs->by_owner.value(), nullptr);
    EXPECT_EQ(pairs->by_owner.value()->number, 9U);
  }
  EXPECT_EQ(Owner::destroyed_, 0);
  pairs->owner = nullptr;
  collect_exactly();
  EXPECT_EQ(pairs->by_number.value(), nullptr);
  EXPECT_EQ(pairs->by_owner.value(), nullptr);
  EXPECT_EQ(Owner::destroyed_, 2);
}

// Boxes 0 to length - 1, each the value of the one before.
class Chain {
 public:
  explicit Chain(std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) boxes_.emplace_back(MakeGarbageCollected<Box>(i));
  }
  // How many boxes can be reached when the pairs lie in a list that leads from the last box of the chain to
  // the first, or from the first to the last.
  std::size_t pairs_found_backward(bool backward) {
    Persistent<Pair> pairs;
    for (std::size_t i = 1; i < boxes_.size(); ++i) {
      const std::size_t value = backward ? i : boxes_.size() - i;
      pairs = MakeGarbageCollected<Pair>(boxes_[value - 1].get(), boxes_[value].get(), pairs.get());
    }
    return reached(pairs);
  }
  // Counts the pairs reached where each pair is known only to the box that is the value of the one before.
  std::size_t pairs_in_values() {
    for (std::size_t i = 1; i < boxes_.size(); ++i) {
      Box* const holder = boxes_[i - 1];
      // A key that only the holder leads to, found after the pair.
      holder->box = MakeGarbageCollected<Box>(boxes_.size());
      holder->pairs = MakeGarbageCollected<Pair>(holder->box.get(), boxes_[i].get(), nullptr);
    }
    return reached(Persistent<Pair>());
  }

 private:
  std::size_t reached(const Persistent<Pair>& pairs) {
    std::vector<HiddenObject> hidden;
    for (const auto& box : boxes_) hidden.emplace_back(box.get());
    boxes_.resize(1);
    collect_exactly();
    const std::size_t alive = count_alive(hidden);
    boxes_.clear();
    collect_exactly();
    EXPECT_EQ(count_alive(hidden), 0U);
    for (const Pair* pair = pairs; pair != nullptr; pair = pair->next) EXPECT_EQ(pair->pair.key(), nullptr);
    return alive;
  }

  std::vector<Persistent<Box>> boxes_;
};

const std::size_t kChainLength = mark::scaled(100'000);

TEST(Ephemeron, ALongChainIsFollowedWhateverTheOrder) {
  EXPECT_EQ(Chain(kChainLength).pairs_found_backward(true), kChainLength);
  EXPECT_EQ(Chain(kChainLength).pairs_found_backward(false), kChainLength);
}

TEST(Ephemeron, ALongChainOfPairsThatAreFoundOneAfterAnother) {
  EXPECT_EQ(Chain(kChainLength).pairs_in_values(), kChainLength);
}

// All wait for one key.
TEST(Ephemeron, AKeyMayHaveManyValues) {
  Persistent<Box> holder(MakeGarbageCollected<Box>(0U));
  Persistent<Pair> pairs;
  Persistent<Pair> last(MakeGarbageCollected<Pair>(holder.get(), MakeGarbageCollected<Box>(1U), nullptr));
  for (std::size_t i = 0; i < mark::scaled(10'000); ++i)
    pairs = MakeGarbageCollected<Pair>(last->pair.value(), MakeGarbageCollected<Box>(i), pairs.get());
  last->next = pairs;
  pairs = last;
  last.clear();
  collect_exactly();
  for (const Pair* pair = pairs; pair != nullptr; pair = pair->next) ASSERT_NE(pair->pair.value(), nullptr);
  holder.clear();
  collect_exactly();
  for (const Pair* pair = pairs; pair != nullptr; pair = pair->next) ASSERT_EQ(pair->pair.value(), nullptr);
}

}  // namespace
}  // namespace jackdaw
