#include "gc/c/settings.h"

#include <algorithm>

#include "gc/c/events.h"

namespace {

void* return_null(std::size_t) { return nullptr; }

}  // namespace

// libgc's values.
extern "C" {
GC_word GC_gc_no = 0;
int GC_parallel = 0;
GC_oom_func GC_oom_fn = return_null;
GC_on_heap_resize_proc GC_on_heap_resize = nullptr;
GC_finalizer_notifier_proc GC_finalizer_notifier = nullptr;
int GC_find_leak = 0;
int GC_all_interior_pointers = 1;
int GC_finalize_on_demand = 0;
int GC_java_finalization = 0;
int GC_no_dls = 0;
int GC_dont_expand = 0;
int GC_dont_precollect = 0;
int GC_full_freq = 19;
unsigned long GC_time_limit = 50;
GC_word GC_non_gc_bytes = 0;
GC_word GC_free_space_divisor = 3;
GC_word GC_max_retries = 0;
int GC_dont_gc = 0;
char* GC_stackbottom = nullptr;
}

namespace jackdaw::c_interface {

constinit Settings settings;

void apply_settings(gc::ProcessCollector& collector) {
  collector.growth().free_space_divisor = std::max<GC_word>(GC_free_space_divisor, 1);
  collector.growth().uncounted_bytes = GC_non_gc_bytes;
  collector.hooks().event = on_collection_event;
}

}  // namespace jackdaw::c_interface
