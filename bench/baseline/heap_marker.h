// HeapMarker: a baseline that marks Jackdaw's own objects, through the same object model, with the tasks of
// somebody else's scheduler.
//
// The next collection clears the marks, so the heap stays as it is. Nobody else may use it during run().
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/baseline/baseline.h"
#include "bench/baseline/packet_marking.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "mark/object_model.h"

namespace jackdaw::bench {

class HeapMarker : public Baseline {
 public:
  /// Marks in `heap` what `roots` lead to, by at most `threads` threads. Both must outlive the object.
  HeapMarker(heap::Heap& heap, std::span<heap::Object* const> roots, std::uint32_t threads)
      : heap_(heap), roots_(roots), alone_(threads == 1) {}

  [[nodiscard]] Phase phase() const final { return Phase::marking; }
  /// Clears all marks and marks from the roots, as a collection does.
  std::chrono::nanoseconds run() override;

 protected:
  /// Marks all that the packet's tasks lead to, but for what it calls `spawn` with. Any thread.
  template <typename Spawn>
  void mark_packet(const MarkPacket& packet, Spawn spawn) const {
    if (alone_) {
      PacketMarking<mark::Sharing::exclusive, Spawn>(spawn).run(packet);
    } else {
      PacketMarking<mark::Sharing::shared, Spawn>(spawn).run(packet);
    }
  }

 private:
  /// Has every packet marked, and those spawned by it, on the scheduler's threads, and returns when all is
  /// done.
  virtual void mark_packets(const std::vector<MarkPacket>& packets) = 0;

  [[nodiscard]] std::vector<MarkPacket> mark_roots() const;

  heap::Heap& heap_;
  const std::span<heap::Object* const> roots_;
  const bool alone_;
};

}  // namespace jackdaw::bench
