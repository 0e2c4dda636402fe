#include "gc/marking/layout_word.h"

namespace jackdaw::gc {

std::array<std::atomic<MarkProcedure>, MarkProcedures::kMaximum> MarkProcedures::procedures_{};
std::atomic<std::size_t> MarkProcedures::next_{kReserved};

std::optional<std::size_t> MarkProcedures::add(MarkProcedure procedure) {
  // Relaxed: the number is unique; define() publishes the procedure.
  const std::size_t number = next_.fetch_add(1, std::memory_order_relaxed);
  if (number >= kEndOfGivenOut) {
    next_.store(kEndOfGivenOut, std::memory_order_relaxed);
    return std::nullopt;
  }
  define(number, procedure);
  return number;
}

// An object that is not set up yet is zero, which is the layout of an object without references. The first
// word of an explicitly freed one lies above all addresses.
LayoutWord LayoutWord::in_object(const heap::Object* object, std::size_t bytes) const {
  const auto offset = static_cast<std::int64_t>(bits_ & ~kTagMask);
  const auto* base = reinterpret_cast<const std::byte*>(object);
  if (offset >= 0) {
    if (static_cast<std::uint64_t>(offset) + sizeof(std::uint64_t) > bytes) return LayoutWord(0);
    return LayoutWord(heap::words_at(base + offset)->bits);
  }
  const auto first = static_cast<std::intptr_t>(heap::words_at(base)->bits);
  if (first <= 0) return LayoutWord(0);
  const auto* const type = reinterpret_cast<const std::byte*>(first);  // NOLINT(performance-no-int-to-ptr)
  return LayoutWord(heap::words_at(type - (offset + static_cast<std::int64_t>(kIndirectBias)))->bits);
}

void LayoutWord::call_procedure(heap::Object* object, Visitor& visitor) const {
  const std::size_t number = bits_ >> kTagBits & (MarkProcedures::kMaximum - 1);
  if (const MarkProcedure procedure = MarkProcedures::at(number)) {
    auto* const top = reinterpret_cast<GC_ms_entry*>(&visitor);
    procedure(reinterpret_cast<std::uintptr_t*>(object), top, nullptr, bits_ >> (kTagBits + kProcedureBits));
  }
}

}  // namespace jackdaw::gc
