// When to collect, and how much memory to take: gc.h, section 13.
#include <algorithm>
#include <atomic>
#include <limits>
#include <new>

#include "gc/c/settings.h"
#include "gc/c/start.h"

namespace jackdaw::c_interface {

namespace {

// Changes the policy of the collector, or the options that it will be made with.
template <typename Change>
void change_growth(Change change) {
  if (GC_is_init_called() == 0) {
    change(initial_options().growth);
    return;
  }
  change(collector().plan().growth());
  collector().plan().apply_growth();
}

const gc::GrowthPolicy& growth() {
  return GC_is_init_called() == 0 ? initial_options().growth : collector().plan().growth();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int GC_expand_hp(std::size_t bytes) {
  try {
    return collector().heap_size().expand(bytes) ? 1 : 0;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

void GC_set_max_heap_size(GC_word bytes) {
  const std::size_t limit = bytes != 0 ? bytes : std::numeric_limits<std::size_t>::max();
  if (GC_is_init_called() == 0) {
    initial_options().heap_limit_bytes = limit;
  } else {
    registered_collector().heap_size().set_maximum(limit);
  }
}

void GC_set_free_space_divisor(GC_word divisor) {
  GC_free_space_divisor = std::max<GC_word>(divisor, 1);
  change_growth([](gc::GrowthPolicy& growth) { growth.free_space_divisor = GC_free_space_divisor; });
}
GC_word GC_get_free_space_divisor() { return GC_free_space_divisor; }

void GC_set_dont_expand(int dont_expand) {
  GC_dont_expand = dont_expand;
  change_growth([](gc::GrowthPolicy& growth) { growth.grows_only_when_it_must = GC_dont_expand != 0; });
}
int GC_get_dont_expand() { return GC_dont_expand; }

void GC_set_max_retries(GC_word retries) {
  GC_max_retries = retries;
  change_growth([](gc::GrowthPolicy& growth) { growth.more_collections_when_exhausted = GC_max_retries; });
}
GC_word GC_get_max_retries() { return GC_max_retries; }

// The interface has a plain variable, which other threads' uncollectable objects change, too. Relaxed, both:
// a total that publishes nothing.
void GC_set_non_gc_bytes(GC_word bytes) {
  std::atomic_ref(GC_non_gc_bytes).store(bytes, std::memory_order_relaxed);
}
GC_word GC_get_non_gc_bytes() { return std::atomic_ref(GC_non_gc_bytes).load(std::memory_order_relaxed); }

void GC_set_min_bytes_allocd(std::size_t bytes) {
  change_growth(
      [bytes](gc::GrowthPolicy& growth) { growth.minimum_budget_bytes = std::max<std::size_t>(bytes, 1); });
}
std::size_t GC_get_min_bytes_allocd() { return growth().minimum_budget_bytes; }

void GC_set_allocd_bytes_per_finalizer(GC_word bytes) {
  change_growth([bytes](gc::GrowthPolicy& growth) { growth.bytes_per_finalizer = bytes; });
}
GC_word GC_get_allocd_bytes_per_finalizer() { return growth().bytes_per_finalizer; }

void GC_set_dont_precollect(int dont_precollect) { GC_dont_precollect = dont_precollect; }
int GC_get_dont_precollect() { return GC_dont_precollect; }

void GC_set_pages_executable(int) {}
int GC_get_pages_executable() { return 0; }

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
