// Finalizers: gc.h, section 8, and javaxfc.h.
#include "gc/c/finalizers.h"

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "gc/c/checked_objects.h"
#include "gc/c/log.h"
#include "gc/c/object_start.h"
#include "gc/c/settings.h"
#include "gc/c/start.h"
#include "gc/finalization/finalization.h"

namespace jackdaw::c_interface {

namespace {

using gc::Finalizer;
using gc::FinalizerKind;

gc::Finalizers& finalizers() { return collector().dead().finalization().finalizers; }

// Counts nested runs of finalizers: those that allocate may cause further ones on the same stack, so the
// deeper the nesting, the more rarely they are run.
class Nesting {
 public:
  // Whether finalizers may be called now.
  static bool is_shallow() {
    if (depth_ == 0) return true;
    if (++skipped_ < std::uint64_t{1} << std::min(depth_, 63U)) return false;
    skipped_ = 0;
    return true;
  }
  Nesting() { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  static constinit thread_local unsigned depth_;
  static constinit thread_local std::uint64_t skipped_;
};

constinit thread_local unsigned Nesting::depth_ = 0;
constinit thread_local std::uint64_t Nesting::skipped_ = 0;

// The number of the last collection that the program was notified of. The lock guards it.
constinit std::uint64_t notified_at = 0;

void notify() {
  GC_finalizer_notifier_proc notifier = nullptr;
  {
    const std::lock_guard lock(collector().lock());
    if (notified_at == collector().collections()) return;
    notified_at = collector().collections();
    notifier = GC_finalizer_notifier;
  }
  if (notifier != nullptr) notifier();
}

// Takes the finalizer to be called after `calls` others; false when there is none, or calls end here.
bool take_ready(gc::ReadyFinalizer& ready, std::uint64_t calls) {
  const std::lock_guard lock(collector().lock());
  if (settings.most_finalizers != 0 && calls >= settings.most_finalizers) return false;
  return finalizers().take_ready(ready);
}

struct OldFinalizer {
  GC_finalization_proc* function;  // null: not wanted
  void** data;                     // null: not wanted
};

void store(const Finalizer& finalizer, OldFinalizer old) {
  if (old.function != nullptr) *old.function = finalizer.function;
  if (old.data != nullptr) *old.data = finalizer.data;
}

// In the leak-finding mode objects are reported instead of finalized.
void register_finalizer(void* address, const Finalizer& finalizer, OldFinalizer old) {
  if (GC_find_leak != 0) return;
  gc::ProcessCollector& collector = c_interface::collector();
  const heap::Object* const object = object_at(address);
  bool has_memory = true;
  {
    const std::lock_guard lock(collector.lock());
    Finalizer before;
    if (object == nullptr) {
      store({}, old);
    } else if (finalizer.function == nullptr) {
      store(finalizers().take_back(object), old);
    } else if (finalizers().register_finalizer(object, finalizer, before)) {
      store(before, old);
    } else {
      has_memory = false;
    }
    collector.plan().apply_finalizers();
  }
  if (!has_memory)
    warn("jackdaw: there is no memory to register the finalizer of the object at 0x%lx",
         reinterpret_cast<GC_word>(address));
}

// The data of a checked object's finalizer: the program's function and data.
struct CheckedFinalizer {
  GC_finalization_proc function;
  void* data;
};

// The program knows a checked object by the address behind its header.
void call_checked(void* object, void* data) {
  const auto& finalizer = *static_cast<const CheckedFinalizer*>(data);
  finalizer.function(GC_USR_PTR_FROM_BASE(object), finalizer.data);
}

void store_checked(GC_finalization_proc function, void* data, OldFinalizer old) {
  Finalizer before{function, data};
  if (function == call_checked) {
    const auto& checked = *static_cast<const CheckedFinalizer*>(data);
    before = {checked.function, checked.data};
  }
  store(before, old);
}

void register_checked_finalizer(void* address, const Finalizer& finalizer, OldFinalizer old) {
  if (GC_find_leak != 0) return;
  heap::Object* const object = object_at(address);
  if (object == nullptr) {
    store({}, old);
    return;
  }
  if (!is_checked(object) || GC_USR_PTR_FROM_BASE(object) != address)
    log_line(
        "jackdaw: a debug function for finalizers was given %p, which no allocation with checks returned",
        address);
  if (!is_checked(object)) {
    register_finalizer(object, finalizer, old);
    return;
  }
  Finalizer wrapped{nullptr, nullptr, finalizer.kind};
  if (finalizer.function != nullptr) {
    auto* const checked = static_cast<CheckedFinalizer*>(GC_malloc(sizeof(CheckedFinalizer)));
    if (checked == nullptr) return;
    *checked = {finalizer.function, finalizer.data};
    wrapped = {call_checked, checked, finalizer.kind};
  }
  // `old` stays as it is when memory runs out, which the function below then shows.
  const auto none = [](void*, void*) {};
  GC_finalization_proc function = none;
  void* data = nullptr;
  register_finalizer(object, wrapped, {&function, &data});
  if (function != static_cast<GC_finalization_proc>(none)) store_checked(function, data, old);
}

}  // namespace

void attend_to_finalizers() {
  if (!finalizers().has_ready()) return;
  if (GC_finalize_on_demand != 0) {
    notify();
  } else if (Nesting::is_shallow()) {
    const Nesting nesting;
    GC_invoke_finalizers();
  }
}

void announce_ready_finalizers() {
  if (settings.await_finalize == nullptr) return;
  finalizers().announce_ready([](heap::Object* object) { settings.await_finalize(object); });
}

#pragma GCC visibility push(default)
extern "C" {

void GC_register_finalizer(void* object, GC_finalization_proc function, void* data,
                           GC_finalization_proc* old_function, void** old_data) {
  register_finalizer(object, {function, data, FinalizerKind::ordered}, {old_function, old_data});
}
void GC_register_finalizer_ignore_self(void* object, GC_finalization_proc function, void* data,
                                       GC_finalization_proc* old_function, void** old_data) {
  register_finalizer(object, {function, data, FinalizerKind::ignore_self}, {old_function, old_data});
}
void GC_register_finalizer_no_order(void* object, GC_finalization_proc function, void* data,
                                    GC_finalization_proc* old_function, void** old_data) {
  register_finalizer(object, {function, data, FinalizerKind::no_order}, {old_function, old_data});
}
void GC_register_finalizer_unreachable(void* object, GC_finalization_proc function, void* data,
                                       GC_finalization_proc* old_function, void** old_data) {
  if (GC_java_finalization == 0)
    abort_program("GC_register_finalizer_unreachable needs GC_set_java_finalization(1)");
  register_finalizer(object, {function, data, FinalizerKind::unreachable}, {old_function, old_data});
}

void GC_debug_register_finalizer(void* object, GC_finalization_proc function, void* data,
                                 GC_finalization_proc* old_function, void** old_data) {
  register_checked_finalizer(object, {function, data, FinalizerKind::ordered}, {old_function, old_data});
}
void GC_debug_register_finalizer_ignore_self(void* object, GC_finalization_proc function, void* data,
                                             GC_finalization_proc* old_function, void** old_data) {
  register_checked_finalizer(object, {function, data, FinalizerKind::ignore_self}, {old_function, old_data});
}
void GC_debug_register_finalizer_no_order(void* object, GC_finalization_proc function, void* data,
                                          GC_finalization_proc* old_function, void** old_data) {
  register_checked_finalizer(object, {function, data, FinalizerKind::no_order}, {old_function, old_data});
}
void GC_debug_register_finalizer_unreachable(void* object, GC_finalization_proc function, void* data,
                                             GC_finalization_proc* old_function, void** old_data) {
  if (GC_java_finalization == 0)
    abort_program("GC_debug_register_finalizer_unreachable needs GC_set_java_finalization(1)");
  register_checked_finalizer(object, {function, data, FinalizerKind::unreachable}, {old_function, old_data});
}

int GC_should_invoke_finalizers() { return finalizers().has_ready() ? 1 : 0; }

int GC_invoke_finalizers() {
  std::uint64_t calls = 0;
  gc::ReadyFinalizer ready;
  for (; take_ready(ready, calls); ++calls) ready.finalizer.function(ready.object, ready.finalizer.data);
  return static_cast<int>(calls);
}

void GC_set_interrupt_finalizers(unsigned calls) { write_locked(settings.most_finalizers, calls); }
unsigned GC_get_interrupt_finalizers() { return read_locked(settings.most_finalizers); }

void GC_set_finalize_on_demand(int on_demand) { GC_finalize_on_demand = on_demand; }
int GC_get_finalize_on_demand() { return GC_finalize_on_demand; }

void GC_set_java_finalization(int java) {
  GC_java_finalization = java;
  if (GC_is_init_called() != 0) collector().dead().set_java_finalization(java != 0);
}
int GC_get_java_finalization() { return GC_java_finalization; }

void GC_set_finalizer_notifier(GC_finalizer_notifier_proc function) {
  write_locked(GC_finalizer_notifier, function);
}
GC_finalizer_notifier_proc GC_get_finalizer_notifier() { return read_locked(GC_finalizer_notifier); }

void GC_set_await_finalize_proc(GC_await_finalize_proc function) {
  write_locked(settings.await_finalize, function);
}
GC_await_finalize_proc GC_get_await_finalize_proc() { return read_locked(settings.await_finalize); }

void GC_finalize_all() {
  do {
    const std::lock_guard lock(collector().lock());
    finalizers().forget_freed([](const heap::Object* object) { return object_at(object) == object; });
    finalizers().make_all_ready();
  } while (GC_invoke_finalizers() != 0);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
