// CallStack: the frames that rules give are those of the unwinder.
#include "gc/report/profile/call_stack.h"

#include <alloca.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "base/sanitizers.h"
#include "gc/process/process_collector.h"
#include "tests/gc/process/threads/loaded_library.h"

#if defined(__x86_64__)

// Two functions with frames of 30,016 and of 32 bytes. Their calls return to addresses with the same low
// bits.
extern "C" void call_from_long_frame(void (*function)());
extern "C" void call_from_short_frame(void (*function)());
asm(R"(
  .pushsection .text
  .p2align 12
  .globl call_from_long_frame
  .type call_from_long_frame, @function
call_from_long_frame:
  .cfi_startproc
  subq $30008, %rsp
  .cfi_adjust_cfa_offset 30008
  call *%rdi
  addq $30008, %rsp
  .cfi_adjust_cfa_offset -30008
  ret
  .cfi_endproc
  .p2align 12
  .globl call_from_short_frame
  .type call_from_short_frame, @function
call_from_short_frame:
  .cfi_startproc
  .byte 0x48, 0x81, 0xec, 24, 0, 0, 0  # subq $24, %rsp, as long as the one above
  .cfi_adjust_cfa_offset 24
  call *%rdi
  addq $24, %rsp
  .cfi_adjust_cfa_offset -24
  ret
  .cfi_endproc
  .popsection
)");

// A function with a frame of 32 bytes, whose begin and length its call frame information has in eight bytes
// each, which assemblers do not choose by themselves.
extern "C" void call_from_wide_record(void (*function)());
asm(R"(
  .pushsection .text
  .globl call_from_wide_record
  .type call_from_wide_record, @function
call_from_wide_record:
  subq $24, %rsp
.Lwide_subtracted:
  call *%rdi
  addq $24, %rsp
.Lwide_added:
  ret
.Lwide_end:
  .popsection
  .pushsection .eh_frame, "a", @unwind
  .p2align 3
.Lwide_common:
  .long .Lwide_common_end - .Lwide_common_body
.Lwide_common_body:
  .long 0
  .byte 1
  .string "zR"
  .byte 1, 0x78, 16          # units of one and minus eight bytes, the return address's number
  .byte 1, 0x1c              # a signed distance, in eight bytes
  .byte 0x0c, 7, 8, 0x90, 1  # def_cfa: rsp + 8; offset: the return address is there
  .p2align 3
.Lwide_common_end:
  .long .Lwide_own_end - .Lwide_own_body
.Lwide_own_body:
  .long . - .Lwide_common
  .quad call_from_wide_record - .
  .quad .Lwide_end - call_from_wide_record
  .byte 0
  .byte 0x40 + .Lwide_subtracted - call_from_wide_record, 0x0e, 32  # advance_loc, def_cfa_offset
  .byte 0x40 + .Lwide_added - .Lwide_subtracted, 0x0e, 8
  .p2align 3
.Lwide_own_end:
  .popsection
)");

namespace jackdaw::gc {
namespace {

std::uintptr_t end_of_stack() {
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) std::abort();
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(begin) + bytes;
}

// Returns the frames of `stack` from the one at `caller` on.
std::vector<std::uintptr_t> frames_from(const CallStack& stack, std::uintptr_t caller) {
  const auto frames = stack.frames();
  return {std::ranges::find(frames, caller), frames.end()};
}

// Takes the stack in both ways. The second time, the rules are there.
[[gnu::noinline]] void expect_same() {
  const auto caller = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1;
  for (int i = 0; i < 2; ++i) {
    CallStack by_rules;
    CallStack by_unwinder;
    EXPECT_TRUE(by_rules.take_by_rules(end_of_stack()));
    by_unwinder.take_by_unwinder();
    EXPECT_EQ(frames_from(by_rules, caller), frames_from(by_unwinder, caller));
    EXPECT_GE(frames_from(by_unwinder, caller).size(), 2U);
  }
}

// A handler of a signal, whose own frame has no rule, takes its stack in three ways.
struct {
  std::uintptr_t end = 0;
  std::uintptr_t caller = 0;
  bool is_by_rules = false;
  CallStack taken;
  CallStack by_unwinder;
} in_handler;

[[gnu::noinline]] void take_in_handler() {
  in_handler.caller = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1;
  in_handler.is_by_rules = in_handler.taken.take_by_rules(in_handler.end);
  in_handler.taken.take(in_handler.end);
  in_handler.by_unwinder.take_by_unwinder();
}

// The frame's length is known only when it runs, so that its end is counted from the frame pointer.
[[gnu::noinline]] void below_room_of(std::size_t bytes, const std::function<void()>& call) {
  auto* const room = static_cast<volatile char*>(alloca(bytes));
  room[0] = 1;
  call();
  room[bytes - 1] = room[0];
}

[[gnu::noinline]] int recursive(int depth) {  // NOLINT(misc-no-recursion)
  if (depth == 0) expect_same();
  return depth == 0 ? 0 : recursive(depth - 1) + 1;
}

// It comes first, as what is looked up is looked up once.
TEST(CallStack, LeavesTheMessageOfTheLoader) {
  EXPECT_EQ(dlopen("no such library", RTLD_NOW), nullptr);
  CallStack().take(end_of_stack());
  EXPECT_NE(dlerror(), nullptr);
}

TEST(CallStack, RulesGiveTheFramesOfTheUnwinder) {
  expect_same();
  EXPECT_EQ(recursive(10), 10);
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{5000}}) {
    below_room_of(bytes, [] { below_room_of(300, expect_same); });
  }
}

TEST(CallStack, RulesOfAddressesWithOneEntryDoNotMix) {
  call_from_long_frame(expect_same);
  call_from_short_frame(expect_same);
  call_from_long_frame(expect_same);
}

TEST(CallStack, RulesAreForgottenWhenTheirCodeIsUnloaded) {
  void* first = nullptr;
  for (const char* const path :
       {JACKDAW_LONG_FRAME_LIBRARY, JACKDAW_SHORT_FRAME_LIBRARY, JACKDAW_LONG_FRAME_LIBRARY}) {
    const LoadedLibrary library(path);
    void* const call = library.function("call_from_frame");
    if (first == nullptr) first = call;
    if (call != first) GTEST_SKIP() << "other memory took the place of the library";
    ProcessCollector::instance().collect();
    reinterpret_cast<void (*)(void (*)())>(call)(expect_same);
  }
}

TEST(CallStack, RecordsOfOtherEncodingsAreLeftToTheUnwinder) {
  call_from_wide_record([] {
    const auto caller = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1;
    CallStack taken;
    CallStack by_unwinder;
    EXPECT_FALSE(taken.take_by_rules(end_of_stack()));
    taken.take(end_of_stack());
    by_unwinder.take_by_unwinder();
    EXPECT_GE(frames_from(by_unwinder, caller).size(), 3U);
    EXPECT_EQ(frames_from(taken, caller), frames_from(by_unwinder, caller));
  });
}

TEST(CallStack, FramesWithoutARuleAreLeftToTheUnwinder) {
  in_handler.end = end_of_stack();
  in_handler.by_unwinder.take_by_unwinder();  // which takes a lock the first time
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { take_in_handler(); };
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(!in_handler.is_by_rules || base::kThreadSanitizer)
      << "only that one calls handlers from raise()";
  const auto expected = frames_from(in_handler.by_unwinder, in_handler.caller);
  EXPECT_GE(expected.size(), 3U);
  EXPECT_EQ(frames_from(in_handler.taken, in_handler.caller), expected);
}

TEST(CallStack, RulesGiveFramesOfOtherCode) {
  std::array<int, 2> numbers{2, 1};
  std::qsort(numbers.data(), numbers.size(), sizeof(int), [](const void*, const void*) {
    expect_same();
    return 0;
  });
  std::thread(expect_same).join();
  try {
    throw std::runtime_error("caught below");
  } catch (const std::runtime_error&) {
    expect_same();
  }
}

TEST(CallStack, AStackOfMoreFramesIsCutOff) {
  const std::function<void(int)> call = [&](int depth) {  // NOLINT(misc-no-recursion)
    if (depth != 0) return call(depth - 1);
    CallStack stack;
    EXPECT_TRUE(stack.take_by_rules(end_of_stack()));
    EXPECT_TRUE(stack.is_full());
  };
  below_room_of(100, [&] { call(1000); });
}

// A frame that a rule leads to may be that of code which took another's place.
TEST(CallStack, FramesBeyondTheEndOfTheStackAreLeftToTheUnwinder) {
  CallStack stack;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  EXPECT_FALSE(stack.take_by_rules(here));
  stack.take(here);
  EXPECT_GE(stack.frames().size(), 2U);
}

}  // namespace
}  // namespace jackdaw::gc

#endif
