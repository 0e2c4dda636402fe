#include "gc/cpp/make_garbage_collected.h"

#include "gc/process/process_collector.h"

namespace jackdaw::internal {

void* allocate_slowly(std::size_t bytes, heap::KindNumber kind) {
  void* const memory = gc::ProcessCollector::instance().allocate(bytes, kind);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace jackdaw::internal
