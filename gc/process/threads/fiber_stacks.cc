#include "gc/process/threads/fiber_stacks.h"

#include <algorithm>

#include "base/check.h"
#include "base/page_memory.h"

namespace jackdaw::gc {

namespace {

constexpr std::size_t kBytesOfAPart = FiberStacks::kMostOfAPart * sizeof(FiberStack);

// Returns the position of the first element that ends above an address.
std::size_t first_above(std::span<const FiberStack> stacks, std::uintptr_t address) {
  const auto ends_at = [](const FiberStack& stack) { return stack.bounds.end; };
  return static_cast<std::size_t>(std::ranges::upper_bound(stacks, address, {}, ends_at) - stacks.begin());
}

}  // namespace

const FiberStack* FiberStacks::overlapping(base::AddressRange range) const {
  const std::span<FiberStack> above = from(range.begin);
  return above.empty() || above.front().bounds.begin >= range.end ? nullptr : above.data();
}

FiberStacks::Place FiberStacks::place_of(std::uintptr_t address) const {
  JACKDAW_CHECK(mutex_.is_held_by_caller() && !parts_.empty());
  const auto end_of = [](const Part& part) { return part.stacks[part.count - 1].bounds.end; };
  const auto* const found = std::ranges::upper_bound(parts_.begin(), parts_.end() - 1, address, {}, end_of);
  const auto number = static_cast<std::size_t>(found - parts_.begin());
  return {number, first_above(part(static_cast<std::uint32_t>(number)), address)};
}

FiberStack* FiberStacks::find(std::uintptr_t address) const {
  const std::span<FiberStack> above = from(address);
  return above.empty() || !above.front().bounds.contains(address) ? nullptr : above.data();
}

std::span<FiberStack> FiberStacks::from(std::uintptr_t address) const {
  if (parts_.empty()) return {};
  const Place place = place_of(address);
  return part(static_cast<std::uint32_t>(place.part)).subspan(place.index);
}

bool FiberStacks::add(const FiberStack& stack) {
  JACKDAW_CHECK(overlapping(stack.bounds) == nullptr);
  if (parts_.empty()) {
    const std::span<std::byte> memory = base::PageMemory::allocate(kBytesOfAPart);
    if (memory.empty()) return false;
    if (!parts_.append({reinterpret_cast<FiberStack*>(memory.data()), 0})) {
      base::PageMemory::release(memory);
      return false;
    }
  } else if (const Place place = place_of(stack.bounds.begin);
             parts_[place.part].count == kMostOfAPart && !split(place)) {
    return false;
  }
  const Place place = parts_[0].count == 0 ? Place{0, 0} : place_of(stack.bounds.begin);
  Part& part = parts_[place.part];
  FiberStack* const position = part.stacks + place.index;
  std::copy_backward(position, part.stacks + part.count, part.stacks + part.count + 1);
  *position = stack;
  ++part.count;
  return true;
}

// Moves the upper half of a full part to a new one behind it, to make room for a stack at `place`. At either
// end of all stacks a part stays whole, and the new stack gets one of its own: stacks that are added in the
// order of their addresses, or in the reverse, fill their parts.
bool FiberStacks::split(Place place) {
  if (!parts_.reserve(parts_.size() + 1)) return false;
  const std::span<std::byte> memory = base::PageMemory::allocate(kBytesOfAPart);
  if (memory.empty()) return false;
  const bool is_first = place.part == 0 && place.index == 0;
  const bool is_last = place.part == parts_.size() - 1 && place.index == kMostOfAPart;
  Part& lower = parts_[place.part];
  lower.count = is_first ? 0 : is_last ? kMostOfAPart : kMostOfAPart / 2;
  const Part upper{reinterpret_cast<FiberStack*>(memory.data()), kMostOfAPart - lower.count};
  std::copy_n(lower.stacks + lower.count, upper.count, upper.stacks);
  parts_.append_reserved(upper);
  std::rotate(parts_.begin() + place.part + 1, parts_.end() - 1, parts_.end());
  return true;
}

void FiberStacks::remove(std::uintptr_t address) {
  JACKDAW_CHECK(find(address) != nullptr);
  const Place place = place_of(address);
  Part& part = parts_[place.part];
  FiberStack* const position = part.stacks + place.index;
  std::copy(position + 1, part.stacks + part.count, position);
  if (--part.count != 0) return;
  base::PageMemory::release({reinterpret_cast<std::byte*>(part.stacks), kBytesOfAPart});
  parts_.remove_if([](const Part& removed) { return removed.count == 0; });
}

// Bounds that overlap the old ones, and no other stack's, leave the stack where it is in the order.
bool FiberStacks::change(std::uintptr_t address, base::AddressRange bounds) {
  FiberStack& stack = *find(address);
  const FiberStack changed{bounds, stack.saved};
  if (bounds.begin < stack.bounds.end && stack.bounds.begin < bounds.end) {
    stack = changed;
    return true;
  }
  if (!add(changed)) return false;
  remove(address);
  return true;
}

void FiberStacks::note_runs(FiberStack& stack) {
  if (running_.append(stack.bounds.begin)) stack.scanned_from = FiberStack::kRuns;
}

void FiberStacks::forget_running() {
  for (const std::uintptr_t address : running_) {
    FiberStack* const stack = find(address);
    if (stack != nullptr && stack->scanned_from == FiberStack::kRuns)
      stack->scanned_from = FiberStack::kNotScanned;
  }
  running_.clear();
}

}  // namespace jackdaw::gc
