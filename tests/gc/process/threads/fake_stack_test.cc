// FakeStack: what only variables on AddressSanitizer's fake stack lead to stays. Compiled so that variables
// with an address always lie there.
#include "gc/process/threads/fake_stack.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#include "tests/gc/process/hidden_lists.h"

namespace jackdaw::gc {
namespace {

using Lists = std::array<Link*, 4>;

void fill(Lists& lists) {
  for (Link*& list : lists) list = new_list(kLength);
}
void expect_all_intact(const Lists& lists) {
  for (const Link* const list : lists) expect_intact(list, kLength);
}

// Expects `lists` on the fake stack, not the real one: otherwise the tests show nothing.
void expect_on_fake_stack(const Lists& lists) {
  const auto address = reinterpret_cast<std::uintptr_t>(lists.data());
  EXPECT_NE(FakeStack::of_this_thread().real_address(address), address);
}

TEST(FakeStack, IsScannedOfTheThreadThatCollects) {
  Lists lists;
  fill(lists);
  expect_on_fake_stack(lists);
  collector().collect();
  dropped_list();
  expect_all_intact(lists);
}

std::atomic<bool> is_ready{false};
std::atomic<bool> may_end{false};

template <typename Wait>
void collect_while_another_thread_waits(Wait wait) {
  std::thread thread([wait] {
    Lists lists;
    fill(lists);
    expect_on_fake_stack(lists);
    is_ready.store(true);
    wait();
    expect_all_intact(lists);
  });
  wait_until(is_ready);
  collector().collect();
  dropped_list();
  may_end.store(true);
  collector().threads().call_blocked(join_one, &thread);
}

TEST(FakeStack, IsScannedOfAThreadThatIsStopped) {
  collect_while_another_thread_waits([] {
    while (!may_end.load()) std::this_thread::yield();
  });
}

TEST(FakeStack, IsScannedOfAThreadThatIsBlocked) {
  collect_while_another_thread_waits([] { wait_until(may_end); });
}

TEST(FakeStack, AStackMayBeSaidToEndAtAVariable) {
  collector();  // the thread that makes it is registered
  std::thread thread([] {
    Lists lists;
    const auto address = reinterpret_cast<std::uintptr_t>(lists.data());
    const ProcessThread& self = collector().threads().register_current(address);
    expect_on_fake_stack(lists);
    EXPECT_EQ(self.stack_end(), FakeStack::of_this_thread().real_address(address));
  });
  collector().threads().call_blocked(join_one, &thread);
}

}  // namespace
}  // namespace jackdaw::gc
