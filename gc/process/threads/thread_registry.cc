#include "gc/process/threads/thread_registry.h"

#include <memory>
#include <mutex>
#include <new>
#include <system_error>

#include "base/check.h"
#include "gc/process/threads/own_work.h"
#include "gc/process/threads/stack_pointer.h"
#include "gc/process/threads/stop_signal.h"

namespace jackdaw::gc {

ThreadRegistry::ThreadRegistry(heap::Heap& heap, CollectionTrace& trace, std::chrono::seconds patience,
                               std::uint32_t processors)
    : heap_(heap),
      first_objects_(heap),
      stops_(list_, trace, patience, processors),
      suspension_(list_, stops_.requests()) {
  const auto unregister = [](void* registry) {
    static_cast<ThreadRegistry*>(registry)->unregister_current();
  };
  if (const int error = pthread_key_create(&at_exit_, unregister); error != 0)
    throw std::system_error(error, std::generic_category(), "pthread_key_create");
  stops_.requests().signal().take();
}

ProcessThread& ThreadRegistry::register_current(std::optional<std::uintptr_t> stack_end,
                                                std::size_t stack_bytes) {
  JACKDAW_CHECK(current() == nullptr);
  const OwnWork own_work;
  ThreadStack stack = ThreadStack::of_this_thread(stack_bytes);
  if (stack_end) stack.set_end(*stack_end);
  // This comes before the lock, as a collection takes the loader's lock first.
  const ThreadLocals thread_locals = ThreadLocals::of_this_thread();
  {
    // The heap's tables are changed only under the lock or by a registered thread.
    const std::lock_guard lock(list_.mutex);
    list_.threads.reserve_or_throw(list_.threads.size() + 1);
    heap::FirstObjects* const first_objects = list_.threads.empty() ? nullptr : &first_objects_;
    std::unique_ptr<ProcessThread> thread(new ProcessThread(heap_, first_objects, stack, thread_locals));
    if (pthread_setspecific(at_exit_, this) != 0) throw std::bad_alloc();
    for (ProcessThread* const other : list_.threads) {
      if (other->number_ == thread->number_) other->is_gone_ = true;  // the system gives numbers again
    }
    list_.threads.append_reserved(thread.get());
    AllocatingThread::current_ = thread.release();
  }
  StopSignal::unblock();
  return *current();
}

void ThreadRegistry::unregister_current() {
  ProcessThread* const thread = current();
  if (thread == nullptr) return;
  {
    // If this waits, then as a registered thread, so that a collection can stop it.
    const std::lock_guard lock(list_.mutex);
    list_.threads.remove_if([thread](const ProcessThread* other) { return other == thread; });
    AllocatingThread::current_ = nullptr;
    const std::unique_ptr<ProcessThread> destroyed(thread);
  }
  pthread_setspecific(at_exit_, nullptr);
}

std::size_t ThreadRegistry::count() {
  const std::lock_guard lock(list_.mutex);
  return list_.threads.size();
}

// While it exists, the calling thread is blocked, or is not blocked. Its destructor restores the previous
// state.
class ThreadRegistry::BlockedState {
 public:
  BlockedState(ThreadRegistry& registry, bool is_blocked, std::uintptr_t stack_pointer)
      : registry_(registry),
        was_blocked_(current()->is_blocked_),
        previous_stack_pointer_(current()->stack_.pointer()) {
    registry_.set_blocked(is_blocked, stack_pointer);
  }
  ~BlockedState() { registry_.set_blocked(was_blocked_, previous_stack_pointer_); }
  BlockedState(const BlockedState&) = delete;
  BlockedState& operator=(const BlockedState&) = delete;

 private:
  ThreadRegistry& registry_;
  const bool was_blocked_;
  const std::uintptr_t previous_stack_pointer_;
};

void ThreadRegistry::set_blocked(bool is_blocked, std::uintptr_t stack_pointer) {
  const std::lock_guard lock(list_.mutex);
  JACKDAW_CHECK(current()->is_blocked_ != is_blocked);
  current()->stack_.note(stack_pointer);
  current()->is_blocked_ = is_blocked;
}

void ThreadRegistry::call_blocked(void (*function)(void*), void* argument) {
  std::optional<BlockedState> state;
  if (current() != nullptr && !current()->is_blocked_)
    state.emplace(*this, true, stack_pointer_below_registers());
  function(argument);
}

void ThreadRegistry::call_active(void (*function)(void*), void* argument) {
  std::optional<BlockedState> state;
  if (current() != nullptr && current()->is_blocked_)
    state.emplace(*this, false, current()->stack_.pointer());
  function(argument);
}

std::uintptr_t ThreadRegistry::corrected_pointer(const ProcessThread& thread) const {
  if (pointer_corrector_ == nullptr) return 0;
  void* const before = reinterpret_cast<void*>(thread.stack_.pointer());  // NOLINT(performance-no-int-to-ptr)
  void* corrected = before;
  pointer_corrector_(&corrected,
                     reinterpret_cast<void*>(thread.handle_));  // NOLINT(performance-no-int-to-ptr)
  return corrected == before ? 0 : reinterpret_cast<std::uintptr_t>(corrected);
}

void ThreadRegistry::set_stack_end(ProcessThread& thread, std::uintptr_t end) {
  const NestedLock lock(list_.mutex);
  thread.stack_.set_end(end);
}

void ThreadRegistry::set_saved_pointer(const std::uintptr_t* saved) {
  const NestedLock lock(list_.mutex);
  current()->stack_.set_saved(saved);
}

void ThreadRegistry::prepare_fork() { stops_.close_sections(); }

void ThreadRegistry::after_fork_in_parent() {
  stops_.open_sections();
  list_.mutex.unlock();
}

void ThreadRegistry::after_fork_in_child() {
  for (ProcessThread* const thread : list_.threads) thread->is_gone_ = thread != current();
  list_.forget_gone();
  if (current() != nullptr) {
    current()->renumber();
    current()->set_suspension(Suspension::none);
  }
  stops_.open_sections();
  list_.mutex.forget_queue();
  list_.mutex.unlock();
}

}  // namespace jackdaw::gc
