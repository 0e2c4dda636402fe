// Destructors: called once for each object that dies, after it was found dead and before its memory is used
// again.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gc/cpp/collect_garbage.h"
#include "gc/cpp/make_garbage_collected.h"
#include "gc/cpp/persistent.h"
#include "tests/gc/cpp/lists.h"
#include "tests/scaled.h"

namespace jackdaw {
namespace {

// Counts how often each was destroyed.
class Registered : public GarbageCollected<Registered> {
 public:
  Registered(std::vector<int>& counts, std::size_t number, Registered* next)
      : next_(next), counts_(counts), number_(number), text_(100, 'x') {}
  ~Registered() {
    EXPECT_EQ(text_, std::string(100, 'x'));
    ++counts_[number_];
  }
  void Trace(Visitor* visitor) const { visitor->Trace(next_); }
  [[nodiscard]] Registered* next() const { return next_; }
  void cut() { next_ = nullptr; }

 private:
  Member<Registered> next_;
  std::vector<int>& counts_;
  std::size_t number_;
  std::string text_;
};

[[gnu::noinline]] Registered* new_registered(std::vector<int>& counts) {
  Registered* list = nullptr;
  for (std::size_t i = counts.size(); i > 0; --i)
    list = MakeGarbageCollected<Registered>(counts, i - 1, list);
  return list;
}

TEST(Destructors, AreCalledOnceForWhatDies) {
  std::vector<int> counts(1000);
  Persistent<Registered> first(new_registered(counts));
  collect_exactly();
  EXPECT_EQ(counts, std::vector<int>(1000, 0));
  Registered* some = first;
  for (int i = 1; i < 400; ++i) some = some->next();
  some->cut();
  some = nullptr;
  for (int i = 0; i < 3; ++i) {
    collect_exactly();
    for (std::size_t j = 0; j < counts.size(); ++j) ASSERT_EQ(counts[j], j < 400 ? 0 : 1) << j;
  }
  first.clear();
  for (int i = 0; i < 3; ++i) {
    collect_exactly();
    ASSERT_EQ(counts, std::vector<int>(1000, 1));
  }
}

TEST(Destructors, TheMemoryIsUsedAgain) {
  std::vector<int> counts(1000);
  const auto round = [&] {
    new_registered(counts);
    collect_exactly();
  };
  for (int i = 0; i < 10; ++i) round();
  const std::uint64_t before = heap_statistics().heap_bytes;
  for (std::size_t i = 0; i < mark::scaled(200); ++i) round();
  EXPECT_EQ(heap_statistics().heap_bytes, before);
}

TEST(Destructors, AllocationCallsThemToo) {
  std::vector<int> counts(1000);
  for (int rounds = 0; counts[0] < 2; ++rounds) {
    ASSERT_LT(rounds, 10'000);
    new_registered(counts);
  }
  collect_exactly();  // the others refer to the counts
}

// Makes garbage of its own kind, and collects.
struct Breeding : GarbageCollected<Breeding> {
  explicit Breeding(int more) : generations(more) {}
  ~Breeding() {
    ++destroyed_;
    if (generations > 0) {
      MakeGarbageCollected<Breeding>(generations - 1);
      collect_garbage();
    }
  }
  void Trace(Visitor*) const {}
  int generations;
  static int destroyed_;
};
int Breeding::destroyed_ = 0;

TEST(Destructors, MayAllocateAndCollect) {
  constexpr int kGenerations = 10;
  MakeGarbageCollected<Breeding>(int{kGenerations});
  for (int i = 0; i < kGenerations + 1 && Breeding::destroyed_ < kGenerations + 1; ++i) collect_exactly();
  EXPECT_EQ(Breeding::destroyed_, kGenerations + 1);
}

// Weak references see the death before the destructor does.
struct Watched : GarbageCollected<Watched> {
  ~Watched();
  void Trace(Visitor*) const {}
};
struct Watching : GarbageCollected<Watching> {
  void Trace(Visitor* visitor) const { visitor->Trace(watched); }
  WeakMember<Watched> watched;
};
Persistent<Watching> watching;
WeakPersistent<Watched> watched_from_outside;
int watched_destroyed = 0;
Watched::~Watched() {
  ++watched_destroyed;
  EXPECT_EQ(watching->watched, nullptr);
  EXPECT_EQ(watched_from_outside, nullptr);
}

TEST(Destructors, ComeAfterWeakReferencesWereCleared) {
  watching = MakeGarbageCollected<Watching>();
  watching->watched = MakeGarbageCollected<Watched>();
  watched_from_outside = watching->watched;
  collect_exactly();
  EXPECT_EQ(watched_destroyed, 1);
  watching.clear();
}

struct Huge : GarbageCollected<Huge> {
  explicit Huge(int& destroyed) : count(destroyed) {}
  ~Huge() { ++count; }
  void Trace(Visitor*) const {}
  int& count;
};

TEST(Destructors, OfLargeObjectsAreCalledToo) {
  int destroyed = 0;
  for (const std::size_t bytes : {std::size_t{10'000}, std::size_t{1'000'000}, std::size_t{40'000'000}})
    MakeGarbageCollected<Huge>(AdditionalBytes(bytes), destroyed);
  collect_exactly();
  EXPECT_EQ(destroyed, 3);
  collect_exactly();
  EXPECT_EQ(destroyed, 3);
}

// A leaf that owns memory of malloc.
struct Text : GarbageCollectedLeaf<Text> {
  ~Text() { ++destroyed_; }
  std::string text = std::string(1000, 'y');
  static int destroyed_;
};
int Text::destroyed_ = 0;

TEST(Destructors, LeavesMayHaveThem) {
  const Persistent<Text> kept(MakeGarbageCollected<Text>());
  MakeGarbageCollected<Text>();
  collect_exactly();
  EXPECT_EQ(Text::destroyed_, 1);
  EXPECT_EQ(kept->text, std::string(1000, 'y'));
}

}  // namespace
}  // namespace jackdaw
