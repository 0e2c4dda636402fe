// Lists of collected objects that tests build, look through and drop.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gc/cpp/collect_garbage.h"
#include "gc/cpp/make_garbage_collected.h"
#include "tests/gc/cpp/hidden_object.h"

namespace jackdaw {

/// Keeps nothing but what something else than the caller's stack leads to.
inline void collect_exactly() { collect_garbage(StackState::holds_none); }

struct Link : GarbageCollected<Link> {
  Link(Link* next_link, std::uint64_t number) : next(next_link), value(number) {}
  void Trace(Visitor* visitor) const { visitor->Trace(next); }
  Member<Link> next;
  std::uint64_t value;
};

/// Links with the values 0 to `length` - 1.
[[gnu::noinline]] inline Link* new_list(std::uint64_t length) {
  Link* list = nullptr;
  for (std::uint64_t value = length; value > 0; --value) list = MakeGarbageCollected<Link>(list, value - 1);
  return list;
}

inline std::vector<HiddenObject> hidden_links(const Link* list) {
  std::vector<HiddenObject> hidden;
  for (; list != nullptr; list = list->next) hidden.emplace_back(list);
  return hidden;
}

inline void expect_intact(const Link* list, std::uint64_t length) {
  std::uint64_t value = 0;
  for (; list != nullptr; list = list->next) ASSERT_EQ(list->value, value++);
  EXPECT_EQ(value, length);
}

}  // namespace jackdaw
