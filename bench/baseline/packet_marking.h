// PacketMarking: marks in packets, for schedulers that are not made for tasks of a few nanoseconds.
//
// A packet's tasks, and those that they lead to, pass through a ring in first-in-first-out order: by the time
// a task leaves, the memory that was prefetched when it entered has arrived. When the ring is full, its newer
// half goes to the scheduler as another packet.
//
// One thread uses an object.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "gc/marking/mark_task.h"
#include "gc/marking/object_model.h"
#include "heap/object.h"
#include "mark/object_model.h"

namespace jackdaw::bench {

/// Tasks that are scheduled together. Trivially copyable.
struct MarkPacket {
  static constexpr std::size_t kRoom = 64;

  std::array<gc::MarkTask, kRoom> tasks;  ///< used up to `count`
  std::size_t count = 0;
};

/// `Spawn` is called with each packet that is left for later, or for another thread.
template <mark::Sharing kSharing, typename Spawn>
class PacketMarking {
 public:
  explicit PacketMarking(Spawn& spawn) : spawn_(spawn) {}

  /// Marks all that is reachable from the packet's tasks, except for what it spawns.
  void run(const MarkPacket& packet) {
    for (std::size_t i = 0; i < packet.count; ++i) task(packet.tasks[i]);
    while (count_ != 0) model_.visit(take_oldest(), *this);
  }

  /// Called by the object model for a reference.
  void reference(heap::Object* object) {
    const gc::HeapObjectModel::Outcome outcome = model_.mark(object, kSharing);
    if (outcome.is_newly_marked() && !outcome.is_leaf()) task(outcome.task());
  }
  /// Called by the object model for a part of the object.
  void task(gc::MarkTask task) {
    if (count_ == kRing) spawn_newer_half();
    model_.prefetch(task);
    ring_[(oldest_ + count_++) % kRing] = task;
  }

 private:
  static constexpr std::size_t kRing = 2 * MarkPacket::kRoom;

  gc::MarkTask take_oldest() {
    const gc::MarkTask task = ring_[oldest_];
    oldest_ = (oldest_ + 1) % kRing;
    --count_;
    return task;
  }

  void spawn_newer_half() {
    count_ -= MarkPacket::kRoom;
    MarkPacket packet;
    for (gc::MarkTask& task : packet.tasks) task = ring_[(oldest_ + count_ + packet.count++) % kRing];
    spawn_(packet);
  }

  Spawn& spawn_;
  gc::HeapObjectModel model_;
  std::array<gc::MarkTask, kRing> ring_;  // `count_` tasks from `oldest_` on
  std::size_t oldest_ = 0;
  std::size_t count_ = 0;
};

/// The form of tasks for HeapMarker: a packet.
struct ByPacket {
  using Task = MarkPacket;
  template <mark::Sharing kSharing, typename Spawn>
  using Marking = PacketMarking<kSharing, Spawn>;

  static void add(gc::MarkTask task, std::vector<Task>& packets) {
    if (packets.empty() || packets.back().count == MarkPacket::kRoom) packets.emplace_back();
    MarkPacket& packet = packets.back();
    packet.tasks[packet.count++] = task;
  }
};

}  // namespace jackdaw::bench
