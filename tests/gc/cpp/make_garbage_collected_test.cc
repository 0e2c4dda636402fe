// Objects of C++ types: what leads to them keeps them, wherever a collection comes.
#include "gc/cpp/make_garbage_collected.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gc/cpp/collect_garbage.h"
#include "gc/cpp/persistent.h"
#include "tests/gc/cpp/hidden_object.h"
#include "tests/gc/cpp/lists.h"

namespace jackdaw {
namespace {

constexpr std::uint64_t kLength = 10'000;

TEST(MakeGarbageCollected, ObjectsLiveWhileAStackLeadsToThem) {
  Link* const list = new_list(kLength);
  for (int i = 0; i < 3; ++i) {
    collect_garbage();
    new_list(kLength);
  }
  expect_intact(list, kLength);
}

TEST(MakeGarbageCollected, AStackThatHoldsNothingKeepsNothing) {
  const std::vector<HiddenObject> links = hidden_links(new_list(kLength));
  EXPECT_EQ(count_alive(links), kLength);
  collect_exactly();
  EXPECT_EQ(count_alive(links), 0U);
}

struct alignas(16) Aligned : GarbageCollected<Aligned> {
  explicit Aligned(Link* list) : links(list) {}
  void Trace(Visitor* visitor) const { visitor->Trace(links); }
  Member<Link> links;
  std::array<std::uint8_t, 40> bytes{};
};

struct Holder : GarbageCollected<Holder> {
  void Trace(Visitor* visitor) const { visitor->Trace(aligned); }
  Member<Aligned> aligned;
};

TEST(MakeGarbageCollected, TypesMayBeAlignedTo16Bytes) {
  Persistent<Holder> holder(MakeGarbageCollected<Holder>());
  holder->aligned = MakeGarbageCollected<Aligned>(new_list(kLength));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(holder->aligned.get()) % 16, 0U);
  collect_exactly();
  expect_intact(holder->aligned->links, kLength);
}

// Everything that Visitor takes apart, and nothing of it twice.
struct Parts : GarbageCollected<Parts> {
  struct Part {
    void Trace(Visitor* visitor) const { visitor->Trace(member); }
    Member<Link> member;
  };
  void Trace(Visitor* visitor) const {
    visitor->Trace(part);
    visitor->Trace(members);
    visitor->Trace(plain);
    visitor->Trace(pair);
    visitor->Trace(maybe);
  }
  [[nodiscard]] std::array<Link*, 6> all() const {
    return {part.member, members[0], members[1], plain[1], pair.second, *maybe};
  }
  Part part;
  std::array<Member<Link>, 2> members;
  Member<Link> plain[2];
  std::pair<int, Member<Link>> pair;
  std::optional<Member<Link>> maybe;
};

[[gnu::noinline]] void fill(Parts& parts) {
  parts.part.member = new_list(1);
  parts.members = {new_list(2), new_list(3)};
  parts.plain[1] = new_list(4);
  parts.pair = {1, new_list(5)};
  parts.maybe = new_list(6);
}

TEST(MakeGarbageCollected, MembersMayLieInPartsOfAnObject) {
  Persistent<Parts> parts(MakeGarbageCollected<Parts>());
  fill(*parts);
  collect_exactly();
  std::uint64_t length = 0;
  for (const Link* const list : parts->all()) expect_intact(list, ++length);
}

// A tail of members behind the object.
struct Tail : GarbageCollected<Tail> {
  explicit Tail(std::size_t members) : count(members) {}
  Member<Link>* at(std::size_t index) { return reinterpret_cast<Member<Link>*>(this + 1) + index; }
  [[nodiscard]] const Member<Link>* at(std::size_t index) const {
    return reinterpret_cast<const Member<Link>*>(this + 1) + index;
  }
  void Trace(Visitor* visitor) const {
    for (std::size_t i = 0; i < count; ++i) visitor->Trace(*at(i));
  }
  std::size_t count;
};

TEST(MakeGarbageCollected, AdditionalBytesAreClearedAndTheTypesOwnAffair) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{10}, std::size_t{10'000}}) {
    Persistent<Tail> tail(MakeGarbageCollected<Tail>(AdditionalBytes(count * sizeof(Member<Link>)), count));
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(tail->at(i)->get(), nullptr);
    for (std::size_t i = 0; i < count; ++i) *tail->at(i) = new_list(1);
    collect_exactly();
    for (std::size_t i = 0; i < count; ++i) expect_intact(*tail->at(i), 1);
  }
}

TEST(MakeGarbageCollected, MoreMemoryThanThereIsThrows) {
  EXPECT_THROW(MakeGarbageCollected<Tail>(AdditionalBytes(~std::size_t{0}), 0U), std::bad_alloc);
  EXPECT_THROW(MakeGarbageCollected<Tail>(AdditionalBytes(std::size_t{1} << 46), 0U), std::bad_alloc);
}

struct Leaf : GarbageCollectedLeaf<Leaf> {
  explicit Leaf(const void* address) : not_followed(address) {}
  const void* not_followed;
};

TEST(MakeGarbageCollected, LeavesAreKeptAndLeadNowhere) {
  Persistent<Leaf> leaf(MakeGarbageCollected<Leaf>(nullptr));
  const std::vector<HiddenObject> dead = [&] {
    Link* const list = new_list(kLength);
    leaf->not_followed = list;
    return hidden_links(list);
  }();
  const HiddenObject hidden(leaf);
  collect_exactly();
  EXPECT_TRUE(hidden.is_alive());
  EXPECT_EQ(count_alive(dead), 0U);
}

// The first base is the collected one; what refers to an object by another leads to the whole.
struct Named : GarbageCollectedMixin {
  [[nodiscard]] virtual int name() const = 0;

 protected:
  ~Named() = default;
};
struct Counted : GarbageCollectedMixin {
  void Trace(Visitor* visitor) const override { visitor->Trace(counted); }
  Member<Link> counted;

 protected:
  ~Counted() = default;
};
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is never deleted
struct Both final : GarbageCollected<Both>, Named, Counted {
  void Trace(Visitor* visitor) const override {
    Counted::Trace(visitor);
    visitor->Trace(own);
  }
  [[nodiscard]] int name() const override { return 7; }
  Member<Link> own;
};
struct MixinHolder : GarbageCollected<MixinHolder> {
  void Trace(Visitor* visitor) const {
    visitor->Trace(named);
    visitor->Trace(counted);
  }
  Member<Named> named;
  Member<Counted> counted;
};

TEST(MakeGarbageCollected, AMixinLeadsToItsObject) {
  Persistent<MixinHolder> by_name(MakeGarbageCollected<MixinHolder>());
  Persistent<Counted> counted;
  [&] {
    Both* const both = MakeGarbageCollected<Both>();
    both->own = new_list(kLength);
    both->counted = new_list(5);
    by_name->named = both;
    counted = MakeGarbageCollected<Both>();
    counted->counted = new_list(6);
  }();
  collect_exactly();
  EXPECT_EQ(by_name->named->name(), 7);
  expect_intact(static_cast<Both&>(*by_name->named).own, kLength);
  expect_intact(static_cast<Both&>(*by_name->named).counted, 5);
  expect_intact(counted->counted, 6);
}

// A base without virtual functions whose derived type has some: the base lies 8 bytes into the object.
struct Plain : GarbageCollected<Plain> {
  void Trace(Visitor* visitor) const { visitor->Trace(first); }
  Member<Link> first;
};
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is never deleted
struct Virtual final : Plain {
  virtual int answer() { return 42; }
  void Trace(Visitor* visitor) const {
    Plain::Trace(visitor);
    visitor->Trace(second);
  }
  Member<Link> second;
};
struct PlainHolder : GarbageCollected<PlainHolder> {
  void Trace(Visitor* visitor) const { visitor->Trace(plain); }
  Member<Plain> plain;
};

TEST(MakeGarbageCollected, ADerivedTypeMayHaveTheFirstVirtualFunction) {
  Persistent<PlainHolder> holder(MakeGarbageCollected<PlainHolder>());
  [&] {
    auto* const made = MakeGarbageCollected<Virtual>();
    made->first = new_list(3);
    made->second = new_list(4);
    holder->plain = made;
    EXPECT_NE(static_cast<void*>(holder->plain.get()), static_cast<void*>(made));
  }();
  collect_exactly();
  expect_intact(holder->plain->first, 3);
  expect_intact(static_cast<Virtual&>(*holder->plain).second, 4);
}

// Collects before, between and after its members are made.
struct Collecting : GarbageCollected<Collecting> {
  Collecting() : before((collect_garbage(), new_list(10))), after((collect_garbage(), new_list(20))) {
    collect_garbage();
  }
  void Trace(Visitor* visitor) const {
    visitor->Trace(before);
    visitor->Trace(after);
  }
  Member<Link> before;
  Member<Link> after;
};

TEST(MakeGarbageCollected, AConstructorMayCollect) {
  for (int i = 0; i < 10; ++i) {
    Collecting* const object = MakeGarbageCollected<Collecting>();
    expect_intact(object->before, 10);
    expect_intact(object->after, 20);
  }
}

struct Throwing : GarbageCollected<Throwing> {
  explicit Throwing(bool throws) : links(new_list(kLength)) {
    if (throws) throw std::runtime_error("as asked");
  }
  ~Throwing() { ++destroyed_; }
  void Trace(Visitor* visitor) const { visitor->Trace(links); }
  Member<Link> links;
  static int destroyed_;
};
int Throwing::destroyed_ = 0;

TEST(MakeGarbageCollected, AnObjectWhoseConstructorThrowsIsNotDestroyed) {
  for (int i = 0; i < 10; ++i) EXPECT_THROW(MakeGarbageCollected<Throwing>(true), std::runtime_error);
  collect_exactly();
  EXPECT_EQ(Throwing::destroyed_, 0);
  [] { MakeGarbageCollected<Throwing>(false); }();
  collect_exactly();
  EXPECT_EQ(Throwing::destroyed_, 1);
}

struct Deleted : GarbageCollected<Deleted> {
  virtual ~Deleted() = default;
  virtual void Trace(Visitor*) const {}
};

TEST(MakeGarbageCollectedDeathTest, DeleteOfAnObjectIsToldAndEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(delete MakeGarbageCollected<Deleted>(), testing::KilledBySignal(SIGABRT),
              "jackdaw: delete of the collected object at 0x[0-9a-f]+: the collector alone frees it");
}

}  // namespace
}  // namespace jackdaw
