#include "gc/report/profile/call_stack.h"

#include <sys/auxv.h>
#include <unwind.h>

#include <atomic>

#include "gc/report/profile/frame_rule.h"

namespace jackdaw::gc {

// The linker puts these at the begin of the program or shared library that has this code, and at its code's
// end.
[[gnu::visibility("hidden")]] extern const char kImageBegin asm("__ehdr_start");
[[gnu::visibility("hidden")]] extern const char kImageCodeEnd asm("etext");

namespace {

bool is_in_this_image(std::uintptr_t address) {
  return reinterpret_cast<std::uintptr_t>(&kImageBegin) <= address &&
         address < reinterpret_cast<std::uintptr_t>(&kImageCodeEnd);
}

// Whether an address is in the collector's own library; false where the program itself has the collector's
// code.
bool is_in_own_library(std::uintptr_t address) {
  static const bool kIsLibrary = !is_in_this_image(getauxval(AT_PHDR));
  return kIsLibrary && is_in_this_image(address);
}

// The low bits of an address say which word has its rule; the word has the others, and the rule.
constexpr int kLowBits = 12;
constinit std::array<std::atomic<std::uint64_t>, 1 << kLowBits> rules{};

[[maybe_unused]] FrameRule rule_at(std::uintptr_t code) {
  constexpr std::uint64_t kRule = (std::uint64_t{1} << FrameRule::kBits) - 1;
  std::atomic<std::uint64_t>& word = rules[code % rules.size()];
  const std::uint64_t rest = code >> kLowBits << FrameRule::kBits;
  // Relaxed, here and in forget_rules(): a word has all of a rule, and publishes nothing else.
  const std::uint64_t known = word.load(std::memory_order_relaxed);
  if (known != 0 && (known & ~kRule) == rest) return FrameRule::of_bits(known & kRule);
  const FrameRule rule = find_frame_rule(code);
  word.store(rest | rule.bits(), std::memory_order_relaxed);
  return rule;
}

}  // namespace

void CallStack::forget_rules() {
  for (std::atomic<std::uint64_t>& word : rules) word.store(0, std::memory_order_relaxed);
}

void CallStack::take(std::uintptr_t end) {
  if (!take_by_rules(end)) take_by_unwinder();
}

// Only words between the stack pointer and the end are read, even where a rule is that of code which was
// unloaded.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] bool CallStack::take_by_rules(
    [[maybe_unused]] std::uintptr_t stack_end) {
  size_ = 0;
#ifdef __x86_64__
  std::uintptr_t code = 0;
  std::uintptr_t pointer = 0;
  std::uintptr_t frame_pointer = 0;
  asm("lea 0(%%rip), %0\n mov %%rsp, %1\n mov %%rbp, %2" : "=&r"(code), "=&r"(pointer), "=&r"(frame_pointer));
  while (!is_full()) {
    const FrameRule rule = rule_at(code);
    if (size_ != 0 || !is_in_own_library(code)) add(code);
    if (rule.base == FrameRule::Base::outermost) return true;
    const std::uintptr_t base = rule.base == FrameRule::Base::stack_pointer ? pointer : frame_pointer;
    const std::uintptr_t end = base + rule.words * sizeof(std::uintptr_t);
    const std::uintptr_t saved = end - rule.saved * sizeof(std::uintptr_t);
    if (rule.base == FrameRule::Base::unknown || end <= pointer || end > stack_end || saved < pointer)
      return false;
    const auto* const words =
        reinterpret_cast<const std::uintptr_t*>(end);  // NOLINT(performance-no-int-to-ptr)
    if (rule.saved != 0) frame_pointer = *(words - rule.saved);
    if (words[-1] == 0) return true;
    code = words[-1] - 1;
    pointer = end;
  }
#endif
  return is_full();
}

// A return address is behind its call, and may be in the next line or function.
void CallStack::take_by_unwinder() {
  size_ = 0;
  const auto add_frame = [](_Unwind_Context* context, void* stack) {
    auto& self = *static_cast<CallStack*>(stack);
    int is_before = 0;
    const std::uintptr_t address = _Unwind_GetIPInfo(context, &is_before);
    if (address == 0) return _URC_END_OF_STACK;
    if (self.size_ != 0 || !is_in_own_library(address)) self.add(is_before != 0 ? address : address - 1);
    return self.is_full() ? _URC_END_OF_STACK : _URC_NO_REASON;
  };
  _Unwind_Backtrace(add_frame, this);
}

}  // namespace jackdaw::gc
