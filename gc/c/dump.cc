// Dumps for people: gc.h, section 16.
#include <cstddef>
#include <mutex>
#include <new>

#include "gc/c/after_collection.h"
#include "gc/c/log.h"
#include "gc/c/start.h"
#include "gc/finalization/finalization.h"
#include "gc/process/threads/thread_registry.h"
#include "heap/chunk.h"
#include "heap/heap.h"

namespace jackdaw::c_interface {

namespace {

const char* name_of(heap::BlockUse use) {
  switch (use) {
    case heap::BlockUse::free:
      return "free";
    case heap::BlockUse::small:
      return "slots";
    case heap::BlockUse::large_head:
      return "large object";
    case heap::BlockUse::large_tail:
      return "more of a large object";
    case heap::BlockUse::span:
      return "more of a span";
  }
  __builtin_unreachable();
}

// Free blocks, and blocks that continue an object, are only counted.
void dump_chunk(const heap::Chunk& chunk) {
  log_line("chunk at %p: %zu bytes, %zu free blocks", static_cast<const void*>(&chunk), chunk.total_bytes(),
           chunk.free_blocks());
  for (std::size_t index = heap::kFirstBlock; index < heap::kBlocksPerChunk;) {
    const heap::BlockInfo& block = chunk.block(index);
    const bool has_objects =
        block.use == heap::BlockUse::small || block.use == heap::BlockUse::large_head || block.is_span_head();
    std::size_t end = index + 1;
    while (!has_objects && end < heap::kBlocksPerChunk && chunk.block(end).use == block.use &&
           !chunk.block(end).is_span_head())
      ++end;
    if (block.use == heap::BlockUse::small || block.is_span_head()) {
      log_line("  block %zu: slots of %u bytes, kind %u, %u of %u live", index, block.slot_bytes,
               static_cast<unsigned>(chunk.kind(index)), static_cast<unsigned>(block.live_slots),
               block.slots());
    } else if (block.use == heap::BlockUse::large_head) {
      log_line("  block %zu: large object of %zu bytes, kind %u", index, std::size_t{block.large_bytes},
               static_cast<unsigned>(chunk.kind(index)));
    } else {
      log_line("  block %zu: %s, %zu blocks", index, name_of(block.use), end - index);
    }
    index = end;
  }
}

void dump_links(const char* kind, const gc::WeakLinks& links) {
  log_line("%s links: %zu", kind, links.size());
  links.for_each([](void** link, const heap::Object* object) {
    log_line("  %p to the object at %p", static_cast<void*>(link), static_cast<const void*>(object));
  });
}

void dump_finalizer(const heap::Object* object, const gc::Finalizer& finalizer) {
  log_line("  of the object at %p: function %p, data %p", static_cast<const void*>(object),
           reinterpret_cast<void*>(finalizer.function), finalizer.data);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void GC_dump() {
  gc::ProcessCollector& collector = c_interface::collector();
  const std::lock_guard lock(collector.lock());
  GC_dump_named(nullptr);
}

void GC_dump_named(const char* name) {
  if (name != nullptr) {
    log_line("state of the heap: %s", name);
  } else {
    log_line("state of the heap after collection %lu", GC_get_gc_no());
  }
  log_line("heap %zu bytes, free %zu, given back %zu; live at the last collection %zu, allocated since %zu",
           GC_get_heap_size(), GC_get_free_bytes(), GC_get_unmapped_bytes(),
           static_cast<std::size_t>(collector().counters().live_bytes()), GC_get_bytes_since_gc());
  const gc::Finalization& finalization = collector().dead().finalization();
  log_line("finalizers %zu, short links %zu, long links %zu, toggle references %zu; mark threads %u",
           finalization.finalizers.registered(), finalization.short_links.size(),
           finalization.long_links.size(), finalization.toggle_references.size(), collector().mark_threads());
}

int GC_dump_heap(const char* path) {
  gc::ProcessCollector& collector = registered_collector();
  try {
    if (!collector.dump_heap(path)) return 0;
  } catch (const std::bad_alloc&) {
    warn("jackdaw: there is no memory to begin collection %lu", collector.collections() + 1);
    return 0;
  }
  attend_to_dead();
  return 1;
}

void GC_dump_regions() {
  registered_collector().look_at_heap(
      [](heap::Heap& heap) { heap.for_each_chunk([](const heap::Chunk* chunk) { dump_chunk(*chunk); }); });
}

void GC_dump_finalization() {
  gc::ProcessCollector& collector = c_interface::collector();
  const gc::NestedLock lock(collector.lock());
  const gc::Finalization& finalization = collector.dead().finalization();
  dump_links("short", finalization.short_links);
  dump_links("long", finalization.long_links);
  log_line("finalizers: %zu", finalization.finalizers.registered());
  finalization.finalizers.for_each_registered(dump_finalizer);
  log_line("finalizers that wait to be called:");
  finalization.finalizers.for_each_ready(dump_finalizer);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
