// Objects of C++ types: what leads to them keeps them, wherever a collection comes.
#include "gc/cpp/make_garbage_collected.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "gc/process/process_collector.h"
#include "tests/gc/cpp/hidden_object.h"

namespace jackdaw {
namespace {

struct Link : GarbageCollected<Link> {
  Link(Link* next_link, std::uint64_t number) : next(next_link), value(number) {}
  void Trace(Visitor* visitor) const { visitor->Trace(next); }
  Member<Link> next;
  std::uint64_t value;
};

[[gnu::noinline]] Link* new_list(std::uint64_t length) {
  Link* list = nullptr;
  for (std::uint64_t value = length; value > 0; --value) list = MakeGarbageCollected<Link>(list, value - 1);
  return list;
}

void expect_intact(const Link* list, std::uint64_t length) {
  std::uint64_t value = 0;
  for (; list != nullptr; list = list->next) ASSERT_EQ(list->value, value++);
  EXPECT_EQ(value, length);
}

TEST(MakeGarbageCollected, ObjectsLiveWhileSomethingLeadsToThem) {
  Link* const list = new_list(100'000);
  gc::ProcessCollector::instance().collect();
  new_list(100'000);
  gc::ProcessCollector::instance().collect();
  new_list(100'000);
  expect_intact(list, 100'000);
}

}  // namespace
}  // namespace jackdaw
