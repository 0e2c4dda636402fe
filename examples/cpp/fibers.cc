// Fibers of Boost.Context, each with a list to which only its stack refers.
// Usage: fibers. Exit status: 0, 1 when a list has changed or memory is out.
#include <jackdaw/stacks.h>
#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstdlib>
#include <utility>

using boost::context::fiber;

// An allocator of stacks that the collector knows. A fiber is one word: the stack pointer while it waits;
// null, for which the whole stack counts, while it runs or ends. So it must stay where it is.
struct RegisteredStack {
  const fiber& owner;
  boost::context::protected_fixedsize_stack memory = {};

  static_assert(sizeof(fiber) == sizeof(void*));
  static void* low_of(const boost::context::stack_context& stack) {
    return static_cast<char*>(stack.sp) - stack.size;
  }
  boost::context::stack_context allocate() {
    const boost::context::stack_context stack = memory.allocate();
    void* const* const saved = reinterpret_cast<void* const*>(&owner);
    if (!jackdaw_stack_register(low_of(stack), stack.sp, saved)) std::exit(1);
    return stack;
  }
  void deallocate(boost::context::stack_context& stack) {
    jackdaw_stack_unregister(low_of(stack));
    memory.deallocate(stack);
  }
};

struct Number {
  Number* next;
  long value;
};

// Makes a list, going back to the caller after each number, and then looks at it.
fiber make_list(fiber&& caller) {
  Number* list = nullptr;
  for (long value = 0; value < 100; ++value) {
    Number* const number = static_cast<Number*>(GC_MALLOC(sizeof(Number)));
    if (number == nullptr) std::exit(1);
    *number = {std::exchange(list, number), value};
    caller = std::move(caller).resume();
  }
  for (long value = 99; value >= 0; --value, list = list->next)
    if (list == nullptr || list->value != value) std::exit(1);
  return std::move(caller);
}

int main() {
  GC_INIT();
  std::array<fiber, 50> fibers;
  for (fiber& one : fibers) one = fiber(std::allocator_arg, RegisteredStack{one}, make_list);
  for (; fibers[0]; GC_gcollect())
    for (fiber& one : fibers) one = std::move(one).resume();
}
