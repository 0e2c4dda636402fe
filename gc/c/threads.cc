// Threads: gc.h, section 17, without the stacks.
#include <algorithm>
#include <mutex>
#include <new>
#include <system_error>

#include "gc/c/log.h"
#include "gc/c/settings.h"
#include "gc/c/start.h"
#include "gc/process/threads/stop_signal.h"
#include "gc/process/threads/thread_registry.h"

namespace jackdaw::c_interface {

namespace {

// A call of a function of the program, and what it returned.
struct Call {
  GC_fn_type function;
  void* data;
  void* result = nullptr;

  static void run(void* call) {
    auto& self = *static_cast<Call*>(call);
    self.result = self.function(self.data);
  }
};

// More mark threads than this are refused.
constexpr unsigned kMostMarkers = 64;

// Threads are resumed without a signal here: the number is libgc's, for programs that read it.
constinit int restart_signal = SIGXCPU;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void* GC_do_blocking(GC_fn_type function, void* data) {
  Call call{function, data};
  collector().threads().call_blocked(Call::run, &call);
  return call.result;
}

void* GC_call_with_gc_active(GC_fn_type function, void* data) {
  Call call{function, data};
  collector().threads().call_active(Call::run, &call);
  return call.result;
}

void GC_start_mark_threads() {
  try {
    collector().start_mark_threads();
  } catch (const std::exception&) {
    warn("jackdaw: the mark threads could not be started; the next collection (%lu) tries again",
         collector().collections() + 1);
  }
}

void GC_set_markers_count(unsigned markers) {
  if (GC_is_init_called() != 0) return;
  initial_options().marking.engine.threads =
      markers == 0 ? gc::default_options().marking.engine.threads : std::min(markers, kMostMarkers);
}
int GC_get_parallel() { return static_cast<int>(collector().mark_threads()) - 1; }

void GC_allow_register_threads() { GC_init(); }

int GC_register_my_thread(const GC_stack_base* base) {
  gc::ProcessCollector& collector = c_interface::collector();
  if (gc::ThreadRegistry::current() != nullptr) return GC_DUPLICATE;
  try {
    collector.threads().register_current(reinterpret_cast<std::uintptr_t>(base->mem_base));
  } catch (const std::bad_alloc&) {
    return GC_NO_MEMORY;
  }
  return GC_SUCCESS;
}

int GC_unregister_my_thread() {
  collector().threads().unregister_current();
  return GC_SUCCESS;
}

int GC_thread_is_registered() { return gc::ThreadRegistry::current() != nullptr ? 1 : 0; }

void GC_register_altstack(void*, GC_word, void*, GC_word) {}

void GC_set_suspend_signal(int signal) { gc::StopSignal::choose(signal); }
int GC_get_suspend_signal() { return gc::StopSignal::number(); }
void GC_set_thr_restart_signal(int signal) {
  if (GC_is_init_called() == 0) restart_signal = signal;
}
int GC_get_thr_restart_signal() { return restart_signal; }

void GC_suspend_thread(pthread_t thread) { collector().pauses().suspend(thread); }
void GC_resume_thread(pthread_t thread) { collector().pauses().resume(thread); }
int GC_is_thread_suspended(pthread_t thread) {
  return collector().threads().suspension().is_suspended(thread) ? 1 : 0;
}

void GC_stop_world_external() {
  gc::ProcessCollector& collector = c_interface::collector();
  collector.lock().lock();
  collector.roots().static_data().mutex().lock();
  collector.threads().stops().stop_others();
}

void GC_start_world_external() {
  gc::ProcessCollector& collector = c_interface::collector();
  collector.threads().stops().resume_others();
  collector.roots().static_data().mutex().unlock();
  collector.lock().unlock();
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
