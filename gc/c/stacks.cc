// Stacks: those of gc.h, section 17.
#include "gc/c/stacks.h"

#include <cstdint>
#include <new>

#include "gc/c/settings.h"
#include "gc/c/start.h"
#include "gc/process/threads/stack_pointer.h"
#include "gc/process/threads/thread_registry.h"
#include "gc/process/threads/thread_stack.h"

namespace jackdaw::c_interface {

namespace {

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
void* pointer_to(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

void apply_stack_end(gc::ProcessCollector& collector) {
  gc::ProcessThread* const thread = gc::ThreadRegistry::current();
  if (thread == nullptr) return;
  if (GC_stackbottom != nullptr) collector.threads().set_stack_end(*thread, address_of(GC_stackbottom));
  GC_stackbottom = static_cast<char*>(pointer_to(thread->stack_end()));
}

#pragma GCC visibility push(default)
extern "C" {

int GC_get_stack_base(GC_stack_base* base) {
  try {
    base->mem_base = pointer_to(gc::ThreadStack::of_this_thread().end());
  } catch (const std::bad_alloc&) {
    return GC_UNIMPLEMENTED;
  }
  return GC_SUCCESS;
}

void* GC_call_with_stack_base(GC_stack_base_func function, void* argument) {
  GC_stack_base base{};
  base.mem_base = __builtin_frame_address(0);  // not &base: a sanitizer may keep that elsewhere
  void* const result = function(&base, argument);
  GC_reachable_here(&base);  // this prevents a tail call, so that the frame outlives the callee
  return result;
}

void* GC_get_my_stackbottom(GC_stack_base* base) {
  GC_init();
  gc::ProcessThread* const thread = gc::ThreadRegistry::current();
  if (thread == nullptr) {
    GC_get_stack_base(base);
  } else {
    base->mem_base = pointer_to(thread->stack_end());
  }
  return thread;
}

void GC_set_stackbottom(void* handle, const GC_stack_base* base) {
  if (GC_is_init_called() == 0) {
    GC_stackbottom = static_cast<char*>(base->mem_base);
    return;
  }
  auto* const thread = handle != nullptr ? static_cast<gc::ProcessThread*>(handle)  //
                                         : gc::ThreadRegistry::current();
  if (thread != nullptr) collector().threads().set_stack_end(*thread, address_of(base->mem_base));
}

// The registers are saved in this call's frame, which lies above the stack pointer.
void GC_custom_push_regs_and_stack(GC_custom_push_proc push, void* data, const GC_stack_base* base, void*) {
  const std::uintptr_t low = gc::stack_pointer_below_registers();
  const std::uintptr_t high = address_of(base->mem_base) & ~(sizeof(void*) - 1);
  push(static_cast<void**>(pointer_to(low)), static_cast<void**>(pointer_to(high)), data,
       GC_CUSTOM_PUSH_HINT_EAGER);
  GC_reachable_here(base);  // no tail call: the frame stays
}

void GC_set_sp_corrector(GC_sp_corrector_proc corrector) {
  const auto lock = lock_settings();
  settings.sp_corrector = corrector;
  if (lock) collector().threads().correct_stack_pointers(corrector);
}
GC_sp_corrector_proc GC_get_sp_corrector() { return read_locked(settings.sp_corrector); }

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
