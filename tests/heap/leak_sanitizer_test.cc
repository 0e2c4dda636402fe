// Memory that only objects refer to is not reported as leaked.
#include "heap/leak_sanitizer.h"

#include <gtest/gtest.h>
#include <sanitizer/lsan_interface.h>

#include <cstddef>
#include <new>
#include <span>

#include "base/page_memory.h"
#include "heap/allocator.h"
#include "heap/heap.h"

#pragma weak __lsan_do_recoverable_leak_check

namespace jackdaw::heap {
namespace {

constexpr std::size_t kAllocations = 1000;  // more than registers and old frames hold addresses of

// An object of the heap that refers to memory of malloc's.
[[gnu::noinline]] void** new_owner(Heap& heap) {
  Allocator allocator(heap);
  auto** const owner =
      reinterpret_cast<void**>(allocator.allocate_plain(kAllocations * sizeof(void*), KindNumber::words));
  if (owner == nullptr) throw std::bad_alloc();
  for (std::size_t i = 0; i < kAllocations; ++i) owner[i] = ::operator new(100);
  return owner;
}

TEST(LeakSanitizer, LooksIntoObjects) {
  if (__lsan_do_recoverable_leak_check == nullptr) GTEST_SKIP() << "built without AddressSanitizer";
  Heap heap;
  void** const owner = new_owner(heap);
  EXPECT_EQ(__lsan_do_recoverable_leak_check(), 0);
  for (std::size_t i = 0; i < kAllocations; ++i) ::operator delete(owner[i]);
}

// Pages that were shown and hidden again, which alone refer to memory of malloc's.
[[gnu::noinline]] std::span<std::byte> new_hidden_owner() {
  const std::span<std::byte> pages = base::PageMemory::allocate(kAllocations * sizeof(void*));
  auto** const owner = reinterpret_cast<void**>(pages.data());
  for (std::size_t i = 0; i < kAllocations; ++i) owner[i] = ::operator new(100);
  show_to_leak_sanitizer(pages);
  hide_from_leak_sanitizer(pages);
  return pages;
}

TEST(LeakSanitizer, SeesNothingInWhatIsHidden) {
  if (__lsan_do_recoverable_leak_check == nullptr) GTEST_SKIP() << "built without AddressSanitizer";
  const std::span<std::byte> pages = new_hidden_owner();
  EXPECT_NE(__lsan_do_recoverable_leak_check(), 0);  // and its report stands in the output
  auto** const owner = reinterpret_cast<void**>(pages.data());
  for (std::size_t i = 0; i < kAllocations; ++i) ::operator delete(owner[i]);
  base::PageMemory::release(pages);
}

}  // namespace
}  // namespace jackdaw::heap
