// Hooks: gc.h, section 15, and the callback of gc_mark.h at the start of a collection.
#include "gc/c/hooks.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "gc/c/events.h"
#include "gc/c/finalizers.h"
#include "gc/c/log.h"
#include "gc/c/own_locks.h"
#include "gc/c/roots.h"
#include "gc/c/settings.h"
#include "gc/c/start.h"
#include "gc/c/statistics.h"
#include "gc/c/undeclared.h"
#include "gc/marking/visitor.h"

namespace jackdaw::c_interface {

namespace {

GC_EventType event_type(gc::CollectionEvent event) {
  switch (event) {
    case gc::CollectionEvent::start:
      return GC_EVENT_START;
    case gc::CollectionEvent::before_stop:
      return GC_EVENT_PRE_STOP_WORLD;
    case gc::CollectionEvent::after_stop:
      return GC_EVENT_POST_STOP_WORLD;
    case gc::CollectionEvent::mark_start:
      return GC_EVENT_MARK_START;
    case gc::CollectionEvent::mark_end:
      return GC_EVENT_MARK_END;
    case gc::CollectionEvent::reclaim_start:
      return GC_EVENT_RECLAIM_START;
    case gc::CollectionEvent::reclaim_end:
      return GC_EVENT_RECLAIM_END;
    case gc::CollectionEvent::before_resume:
      return GC_EVENT_PRE_START_WORLD;
    case gc::CollectionEvent::after_resume:
      return GC_EVENT_POST_START_WORLD;
    case gc::CollectionEvent::end:
      return GC_EVENT_END;
  }
  __builtin_unreachable();
}

std::uint64_t non_gc_bytes() { return GC_get_non_gc_bytes(); }

void tell_thread_event(gc::ThreadEvent event, pthread_t thread) {
  if (settings.on_thread_event == nullptr) return;
  const GC_EventType type =
      event == gc::ThreadEvent::stopped ? GC_EVENT_THREAD_SUSPENDED : GC_EVENT_THREAD_UNSUSPENDED;
  // pthread_t is an integer here.
  settings.on_thread_event(type, reinterpret_cast<void*>(thread));  // NOLINT(performance-no-int-to-ptr)
}

// The variable is read here because the program may have written to it directly.
void tell_heap_size(std::size_t bytes) {
  if (GC_on_heap_resize != nullptr) GC_on_heap_resize(bytes);
}

void tell_of_memory(void* memory, std::size_t bytes) {
  if (settings.on_os_get_mem != nullptr) settings.on_os_get_mem(memory, bytes);
}

// The top of the mark stack, for the program, is the visitor.
void mark_more(gc::Visitor& visitor) {
  settings.on_mark_stack_empty(reinterpret_cast<GC_ms_entry*>(&visitor), nullptr);
}

// Sets the hooks for which the collector does work of its own, where the program asked for them.
void install_hooks_with_work(gc::ProcessCollector& collector) {
  collector.hooks().mark_more = settings.on_mark_stack_empty != nullptr ? mark_more : nullptr;
  collector.hooks().memory_taken = settings.on_os_get_mem != nullptr ? tell_of_memory : nullptr;
  collector.heap().taken_memory().set_on(settings.on_os_get_mem != nullptr);
}

template <typename Value>
void set_with_work(Value& setting, Value value) {
  const auto lock = lock_settings();
  setting = value;
  if (lock) install_hooks_with_work(collector());
}

void write_warning(char* format, GC_word argument) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  log_line(format, argument);
#pragma GCC diagnostic pop
}

}  // namespace

void tell_program(gc::CollectionEvent event) {
  count_event(event);
  if (settings.on_collection_event != nullptr && event != gc::CollectionEvent::end)
    settings.on_collection_event(event_type(event));
  if (event == gc::CollectionEvent::start) {
    if (settings.start_callback != nullptr) settings.start_callback();
    ask_about_toggle_references();
  } else if (event == gc::CollectionEvent::end) {
    announce_ready_finalizers();
    if (settings.on_collection_event != nullptr) settings.on_collection_event(GC_EVENT_END);
  }
}

void install_hooks(gc::ProcessCollector& collector) {
  collector.hooks() = {.event = on_collection_event,
                       .more_roots = push_other_roots,
                       .declines = settings.stop_func,
                       .thread = tell_thread_event,
                       .fork_locks = kAllOwnLocks,
                       .heap_resized = tell_heap_size,
                       .uncounted_bytes = non_gc_bytes};
  install_hooks_with_work(collector);
}

#pragma GCC visibility push(default)
extern "C" {

void GC_set_oom_fn(GC_oom_func function) { write_locked(GC_oom_fn, function); }
GC_oom_func GC_get_oom_fn() { return read_locked(GC_oom_fn); }

void GC_abort_on_oom() {
  log_line("jackdaw: memory is exhausted");
  GC_find_leak = 0;  // so that leaks are not searched for at exit
  GC_on_abort(nullptr);
  std::exit(EXIT_FAILURE);
}

void GC_set_warn_proc(GC_warn_proc function) { write_locked(settings.warn_proc, function); }
GC_warn_proc GC_get_warn_proc() {
  const GC_warn_proc function = read_locked(settings.warn_proc);
  return function != nullptr ? function : write_warning;
}
void GC_ignore_warn_proc(char*, GC_word) {}

void GC_set_abort_func(GC_abort_func function) { write_locked(GC_on_abort, function); }
GC_abort_func GC_get_abort_func() { return read_locked(GC_on_abort); }

// It may be called with the lock held, too.
void GC_set_log_fd(int descriptor) { settings.log_descriptor = descriptor; }

void GC_set_on_heap_resize(GC_on_heap_resize_proc function) { write_locked(GC_on_heap_resize, function); }
GC_on_heap_resize_proc GC_get_on_heap_resize() { return read_locked(GC_on_heap_resize); }

void GC_set_on_os_get_mem(GC_on_os_get_mem_proc function) { set_with_work(settings.on_os_get_mem, function); }
GC_on_os_get_mem_proc GC_get_on_os_get_mem() { return read_locked(settings.on_os_get_mem); }

void GC_set_on_mark_stack_empty(GC_on_mark_stack_empty_proc function) {
  set_with_work(settings.on_mark_stack_empty, function);
}
GC_on_mark_stack_empty_proc GC_get_on_mark_stack_empty() { return read_locked(settings.on_mark_stack_empty); }

void GC_set_on_collection_event(GC_on_collection_event_proc function) {
  write_locked(settings.on_collection_event, function);
}
GC_on_collection_event_proc GC_get_on_collection_event() { return read_locked(settings.on_collection_event); }

void GC_set_on_thread_event(GC_on_thread_event_proc function) {
  write_locked(settings.on_thread_event, function);
}
GC_on_thread_event_proc GC_get_on_thread_event() { return read_locked(settings.on_thread_event); }

void GC_set_start_callback(GC_start_callback_proc function) {
  write_locked(settings.start_callback, function);
}
GC_start_callback_proc GC_get_start_callback() { return read_locked(settings.start_callback); }

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
