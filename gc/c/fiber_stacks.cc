// Stacks of fibers: stacks.h.
#include <cstdint>
#include <mutex>
#include <string>

#include "base/line_text.h"
#include "gc/c/log.h"
#include "gc/c/start.h"
#include "gc/process/threads/fiber_stacks.h"

namespace jackdaw::c_interface {

namespace {

using base::AddressRange;
using gc::FiberStack;
using gc::FiberStacks;

AddressRange range_between(const void* low, const void* high) {
  return {reinterpret_cast<std::uintptr_t>(low), reinterpret_cast<std::uintptr_t>(high)};
}

const std::uintptr_t* as_word(void* const* saved) { return reinterpret_cast<const std::uintptr_t*>(saved); }

base::LineText& operator<<(base::LineText& line, AddressRange range) {
  return line << "from " << reinterpret_cast<const void*>(range.begin)  // NOLINT(performance-no-int-to-ptr)
              << " to " << reinterpret_cast<const void*>(range.end);    // NOLINT(performance-no-int-to-ptr)
}

// Ends the program with a line that is put together of `parts`.
template <typename... Parts>
[[noreturn, gnu::cold]] void end_with(const Parts&... parts) {
  base::LineText line;
  abort_program(std::string((line << ... << parts).text()).c_str());
}

// Ends the program where a stack with these bounds cannot be registered. `itself` may overlap them.
void check_bounds(const char* function, const FiberStacks& stacks, AddressRange bounds,
                  const FiberStack* itself = nullptr) {
  if (bounds.empty()) end_with(function, ": the stack ", bounds, " is empty: its lowest address comes first");
  for (std::uintptr_t begin = bounds.begin; begin < bounds.end;) {
    const FiberStack* const other = stacks.overlapping({begin, bounds.end});
    if (other == nullptr) return;
    if (other != itself) {
      end_with(function, ": the stack ", bounds, " overlaps the one ", other->bounds,
               ", which is registered: unregister that first");
    }
    begin = other->bounds.end;
  }
}

// Returns the stack that begins at `low`, or ends the program.
FiberStack& registered_at(const char* function, FiberStacks& stacks, const void* low) {
  FiberStack* const stack = stacks.find(reinterpret_cast<std::uintptr_t>(low));
  if (stack != nullptr && stack->bounds.begin == reinterpret_cast<std::uintptr_t>(low)) return *stack;
  end_with(function, ": no registered stack begins at ", low,
           ": give the lowest address that it has at present");
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int jackdaw_stack_register(void* low, void* high, void* const* saved) {
  gc::ProcessCollector& collector = c_interface::collector();
  FiberStacks& stacks = collector.threads().fibers();
  const gc::NestedLock lock(stacks.mutex());
  const AddressRange bounds = range_between(low, high);
  check_bounds("jackdaw_stack_register", stacks, bounds);
  const std::uintptr_t* const word = as_word(saved);
  if (word == nullptr)
    abort_program("jackdaw_stack_register: there is no word for the saved stack pointer: give its address");
  return collector.roots().idle_stacks().reserve() && stacks.add({bounds, word}) ? 1 : 0;
}

int jackdaw_stack_set_bounds(void* low, void* new_low, void* new_high) {
  FiberStacks& stacks = collector().threads().fibers();
  const gc::NestedLock lock(stacks.mutex());
  const FiberStack& stack = registered_at("jackdaw_stack_set_bounds", stacks, low);
  const AddressRange bounds = range_between(new_low, new_high);
  check_bounds("jackdaw_stack_set_bounds", stacks, bounds, &stack);
  return stacks.change(stack.bounds.begin, bounds) ? 1 : 0;
}

void jackdaw_stack_unregister(void* low) {
  FiberStacks& stacks = collector().threads().fibers();
  const gc::NestedLock lock(stacks.mutex());
  stacks.remove(registered_at("jackdaw_stack_unregister", stacks, low).bounds.begin);
}

void jackdaw_stack_set_own(void* const* saved) {
  registered_collector().threads().set_saved_pointer(as_word(saved));
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
