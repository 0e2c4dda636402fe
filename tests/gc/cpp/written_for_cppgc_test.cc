// A program as people write them for V8's cppgc, which compiles with <jackdaw/cppgc_names.h>: a building,
// whose rooms are listed, whose tenants know their room weakly, and which a notice board outside of the heap
// leads to.
#include "jackdaw/cppgc_names.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is never deleted
class Listener : public cppgc::GarbageCollectedMixin {
 public:
  virtual int heard() const = 0;
};

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is never deleted
class Room final : public cppgc::GarbageCollected<Room>, public Listener {
 public:
  Room(std::string name, Room* next) : name_(std::move(name)), next_(next) { ++count_; }
  ~Room() { --count_; }
  void Trace(cppgc::Visitor* visitor) const override {
    visitor->Trace(next_);
    Listener::Trace(visitor);
  }
  int heard() const override { return static_cast<int>(name_.size()); }
  Room* next() const { return next_.Get(); }
  Room* cut() { return next_.Release(); }

  static inline int count_ = 0;

 private:
  std::string name_;
  cppgc::Member<Room> next_;
};

class Building final : public cppgc::GarbageCollected<Building> {
 public:
  void Trace(cppgc::Visitor* visitor) const {
    visitor->Trace(first_);
    visitor->Trace(listener_);
    visitor->Trace(last_visited_);
  }
  void add(cppgc::AllocationHandle& handle, const char* name) {
    first_ = cppgc::MakeGarbageCollected<Room>(handle, name, first_.Get());
  }
  void listen(Listener* listener) { listener_ = listener; }
  void visit(Room* room) { last_visited_ = room; }
  void leave() { listener_.Clear(); }
  Room* first() const { return first_; }
  Room* last_visited() const { return last_visited_.Get(); }
  const Listener* listener() const { return listener_.Get(); }

 private:
  cppgc::Member<Room> first_;
  cppgc::Member<Listener> listener_;
  cppgc::WeakMember<Room> last_visited_;
};

class alignas(int) Numbers final : public cppgc::GarbageCollected<Numbers> {
 public:
  void Trace(cppgc::Visitor*) const {}
  int* begin() { return reinterpret_cast<int*>(this + 1); }
};

class Tour {
  CPPGC_STACK_ALLOCATED();

 public:
  explicit Tour(Building* building) : room_(building->first()) {}
  int rooms() const {
    int rooms = 0;
    for (Room* room = room_; room != nullptr; room = room->next()) ++rooms;
    return rooms;
  }

 private:
  Room* room_;
};

void collect(cppgc::Heap& heap) {
  heap.ForceGarbageCollectionSlow("a test", "to look", cppgc::Heap::StackState::kNoHeapPointers);
}

[[gnu::noinline]] void furnish(cppgc::Heap& heap, Building* building) {
  for (const char* const name : {"hall", "kitchen", "cellar"})
    building->add(heap.GetAllocationHandle(), name);
  building->listen(building->first());
  building->visit(building->first()->next());
}

TEST(WrittenForCppgc, MembersKeepAndWeakMembersDoNot) {
  const auto heap = cppgc::Heap::Create();
  cppgc::Persistent<Building> building = cppgc::MakeGarbageCollected<Building>(heap->GetAllocationHandle());
  furnish(*heap, building);
  collect(*heap);
  EXPECT_EQ(Tour(building.Get()).rooms(), 3);
  EXPECT_EQ(Room::count_, 3);
  EXPECT_EQ(building->listener()->heard(), 6);
  [&] { EXPECT_NE(building->first()->cut(), nullptr); }();
  collect(*heap);
  EXPECT_EQ(Room::count_, 1);
  EXPECT_EQ(building->last_visited(), nullptr);
  building.Clear();
  EXPECT_FALSE(building);
  collect(*heap);
  EXPECT_EQ(Room::count_, 0);
}

TEST(WrittenForCppgc, HandlesOfOtherThreads) {
  const auto heap = cppgc::Heap::Create();
  cppgc::subtle::CrossThreadPersistent<Building> strong;
  cppgc::WeakPersistent<Building> weak;
  std::thread([&] {
    strong = cppgc::MakeGarbageCollected<Building>(heap->GetAllocationHandle());
    weak = strong.Get();
  }).join();
  collect(*heap);
  EXPECT_EQ(weak.Get(), strong.Get());
  [&] { EXPECT_NE(strong.Release(), nullptr); }();
  EXPECT_EQ(strong.Get(), nullptr);
  collect(*heap);
  EXPECT_EQ(weak.Get(), nullptr);
}

TEST(WrittenForCppgc, BytesBehindAnObject) {
  const auto heap = cppgc::Heap::Create();
  auto* const numbers = cppgc::MakeGarbageCollected<Numbers>(heap->GetAllocationHandle(),
                                                             cppgc::AdditionalBytes(10 * sizeof(int)));
  for (int i = 0; i < 10; ++i) numbers->begin()[i] = i;
  heap->ForceGarbageCollectionSlow("a test", "to look");
  EXPECT_EQ(numbers->begin()[9], 9);
}

}  // namespace
