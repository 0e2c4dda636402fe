// Lists of links in the process's heap, and a record of where they lie that no collection can read: with it a
// test asks which of them are still there.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "gc/process/process_collector.h"
#include "tests/gc/clean_stack.h"

namespace jackdaw::gc {

// An address that no collection takes for one.
class HiddenAddress {
 public:
  explicit HiddenAddress(const void* object) : bits_(~reinterpret_cast<std::uintptr_t>(object)) {}
  void* address() const { return reinterpret_cast<void*>(~bits_); }  // NOLINT(performance-no-int-to-ptr)

 private:
  std::uintptr_t bits_;
};

struct Link {
  Link* next;
  std::uint64_t value;
};

inline ProcessCollector& collector() { return ProcessCollector::instance(); }

inline Link* new_link(Link* next, std::uint64_t value) {
  auto* const link = static_cast<Link*>(collector().allocate(sizeof(Link), heap::KindNumber::words));
  if (link == nullptr) return nullptr;
  link->next = next;
  link->value = value;
  return link;
}

// A list of links with the values 0 to `length` - 1. Not inlined, so that its frame is gone afterwards.
[[gnu::noinline]] inline Link* new_list(std::uint64_t length) {
  Link* list = nullptr;
  for (std::uint64_t value = length; value > 0; --value) list = new_link(list, value - 1);
  return list;
}

inline void expect_intact(const Link* list, std::uint64_t length) {
  std::uint64_t value = 0;
  for (; list != nullptr; list = list->next) ASSERT_EQ(list->value, value++);
  EXPECT_EQ(value, length);
}

inline std::vector<HiddenAddress> hidden_links(const Link* list) {
  std::vector<HiddenAddress> hidden;
  for (; list != nullptr; list = list->next) hidden.emplace_back(list);
  return hidden;
}

inline std::size_t still_there(const std::vector<HiddenAddress>& objects) {
  std::size_t count = 0;
  for (const HiddenAddress& object : objects)
    count += collector().heap().object_at(object.address()) != nullptr;
  return count;
}

inline constexpr std::uint64_t kLength = 1000;

[[gnu::noinline]] inline std::vector<HiddenAddress> dropped_list() { return hidden_links(new_list(kLength)); }

// Puts a list where `slot` is, so that no other trace of it is left in the caller's frame.
template <typename Slot>
[[gnu::noinline]] std::vector<HiddenAddress> put_list(Slot& slot) {
  slot = new_list(kLength);
  return hidden_links(slot);
}

// A collection in which no stale word of the caller's callees counts.
[[gnu::noinline]] inline void collect_cleanly() {
  clean_stack();
  collector().collect();
}

inline void join_all(void* threads) {
  for (std::thread& thread : *static_cast<std::vector<std::thread>*>(threads)) thread.join();
}
// Until `flag` is not zero. Collections do not wait for the waiting thread.
template <typename Flag>
void wait_until(Flag& flag) {
  const auto wait = [](void* of) {
    while (!static_cast<Flag*>(of)->load()) std::this_thread::yield();
  };
  collector().threads().call_blocked(wait, &flag);
}
inline void join_one(void* thread) { static_cast<std::thread*>(thread)->join(); }

}  // namespace jackdaw::gc
