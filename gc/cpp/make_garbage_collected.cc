#include "gc/cpp/make_garbage_collected.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/warn.h"
#include "gc/process/process_collector.h"

namespace jackdaw::internal {

void end_for_delete(const void* object) {
  std::array<char, 160> text;
  std::snprintf(text.data(), text.size(),
                "delete of the collected object at %p: the collector alone frees it; drop what refers to it "
                "instead",
                object);
  base::warn(text.data());
  std::abort();
}

void* allocate_or_throw(std::size_t bytes, heap::KindNumber kind) {
  if (bytes <= heap::kLargestSmallBytes) {
    if (void* const memory = gc::ProcessCollector::allocate_from_block(bytes, kind)) return memory;
  }
  void* const memory = gc::ProcessCollector::instance().allocate(bytes, kind);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace jackdaw::internal
