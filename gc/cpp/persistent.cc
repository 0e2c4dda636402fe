#include "gc/cpp/persistent.h"

#include "gc/process/process_collector.h"

namespace jackdaw::internal {

namespace {

gc::PersistentNodes& nodes_of(Strength strength) {
  gc::ProcessCollector& collector = gc::ProcessCollector::instance();
  return strength == Strength::strong ? collector.roots().persistents() : collector.dead().weak_persistents();
}

}  // namespace

gc::PersistentNode& acquire_node(Strength strength, const void* object) {
  return nodes_of(strength).acquire(reinterpret_cast<std::uintptr_t>(object), __builtin_return_address(0));
}

void release_node(Strength strength, gc::PersistentNode& node) { nodes_of(strength).release(node); }

}  // namespace jackdaw::internal
