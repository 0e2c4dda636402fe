#include "gc/c/start.h"

#include <atomic>
#include <exception>
#include <new>
#include <span>

#include "gc/c/dead_places.h"
#include "gc/c/log.h"
#include "gc/c/settings.h"
#include "gc/process/threads/own_work.h"

namespace jackdaw::c_interface {

constinit std::size_t extra_bytes = 0;

namespace {

constinit std::atomic<bool> is_ready{false};
constinit std::atomic<bool> has_ended{false};

// Publishes the addresses that objects can ever have.
void publish_addresses(std::span<const std::byte> addresses) {
  // The interface's type has no const.
  GC_least_plausible_heap_addr = const_cast<std::byte*>(addresses.data());
  GC_greatest_plausible_heap_addr = const_cast<std::byte*>(addresses.data() + addresses.size());
}

void start() {
  const gc::OwnWork own_work;
  const gc::NestedLock lock(gc::ProcessCollector::starting());
  // Relaxed: it is written under the lock.
  if (is_ready.load(std::memory_order_relaxed)) return;
  try {
    prepare_options();
    gc::ProcessCollector& made = gc::ProcessCollector::instance();
    publish_addresses(made.heap().addresses());
    apply_settings(made);
    if (made.heap().poison().is_on()) remember_dead_places(made.heap().poison());
    extra_bytes = GC_all_interior_pointers != 0 ? 1 : 0;
  } catch (const std::exception&) {
    abort_program("there is no memory for the heap");
  }
  // Release: pairs with the acquire in GC_init.
  is_ready.store(true, std::memory_order_release);
}

}  // namespace

void register_this_thread() {
  try {
    collector().threads().register_current();
  } catch (const std::bad_alloc&) {
    abort_program("there is no memory to register a thread");
  }
}

#pragma GCC visibility push(default)
extern "C" {

void* GC_least_plausible_heap_addr = nullptr;
void* GC_greatest_plausible_heap_addr = nullptr;

unsigned GC_get_version() { return GC_VERSION_MAJOR << 16 | GC_VERSION_MINOR << 8 | GC_VERSION_MICRO; }

void GC_init() {
  // Acquire: pairs with the release in start, so that the collector and the settings are seen.
  if (is_ready.load(std::memory_order_acquire)) [[likely]]
    return;
  // Making the collector may call this again, through operator new or malloc.
  if (!gc::OwnWork::is_under_way()) start();
}

// Acquire: as in GC_init.
int GC_is_init_called() { return is_ready.load(std::memory_order_acquire) ? 1 : 0; }

void GC_deinit() {
  // Acquire: as in GC_init. Relaxed: the exchange only decides which thread ends the collector.
  if (!is_ready.load(std::memory_order_acquire)) return;
  if (has_ended.exchange(true, std::memory_order_relaxed)) return;
  gc::ProcessCollector::instance().end_mark_threads();
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
