#include "bench/baseline/tbb_marker.h"

#include <oneapi/tbb/parallel_for_each.h>

#include "bench/baseline/muster.h"

namespace jackdaw::bench {

namespace tbb = oneapi::tbb;

namespace {

std::uint32_t count_threads(tbb::task_arena& arena, std::uint32_t expected) {
  Muster muster(expected);
  arena.execute([&] {
    tbb::task_group group;
    for (std::uint32_t i = 0; i < expected; ++i) group.run([&] { muster.come(); });
    group.wait();
  });
  return muster.came();
}

}  // namespace

TbbMarker::TbbMarker(heap::Heap& heap, std::span<heap::Object* const> roots, std::uint32_t threads)
    : HeapMarker(heap, roots, threads),
      allowed_(tbb::global_control::max_allowed_parallelism, threads),
      arena_(static_cast<int>(threads)),
      threads_(count_threads(arena_, threads)) {}

void TbbFeederMarker::mark_packets(const std::vector<MarkPacket>& packets) {
  arena().execute([&] {
    tbb::parallel_for_each(packets, [this](const MarkPacket& packet, tbb::feeder<MarkPacket>& feeder) {
      mark_packet(packet, [&](const MarkPacket& rest) { feeder.add(rest); });
    });
  });
}

void TbbTasksMarker::mark_packets(const std::vector<MarkPacket>& packets) {
  arena().execute([&] {
    tbb::task_group group;
    for (const MarkPacket& packet : packets) spawn(group, packet);
    group.wait();
  });
}

void TbbTasksMarker::spawn(tbb::task_group& group, const MarkPacket& packet) const {
  group.run(
      [this, &group, packet] { mark_packet(packet, [&](const MarkPacket& rest) { spawn(group, rest); }); });
}

}  // namespace jackdaw::bench
