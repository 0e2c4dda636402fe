#include "bench/baseline/heap_marker.h"

#include "gc/object_model.h"

namespace jackdaw::bench {

std::chrono::nanoseconds HeapMarker::run() {
  const auto start = std::chrono::steady_clock::now();
  heap_.clear_marks();
  mark_packets(mark_roots());
  return std::chrono::steady_clock::now() - start;
}

std::vector<MarkPacket> HeapMarker::mark_roots() const {
  const gc::HeapObjectModel model;
  std::vector<MarkPacket> packets;
  for (heap::Object* const root : roots_) {
    // The other threads have nothing to mark yet.
    if (root == nullptr || !model.try_mark<mark::Sharing::exclusive>(root)) continue;
    if (packets.empty() || packets.back().count == MarkPacket::kRoom) packets.emplace_back();
    MarkPacket& packet = packets.back();
    packet.tasks[packet.count++] = model.task_of(root);
  }
  return packets;
}

}  // namespace jackdaw::bench
