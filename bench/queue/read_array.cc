#include "bench/queue/read_array.h"

#include <cmath>
#include <latch>

namespace jackdaw::bench {

namespace {

// Reads once after each fill that the owner has published, or once for several.
void read_until(const StopSign& stop, const OwnerProgress& owner, const ReadArray& array, WorkerTally& result,
                std::uint64_t read) {
  WorkerTally tally;
  std::uint64_t seen = 0;
  run_until(stop, tally, [&] {
    const std::uint64_t puts = owner.told();
    if (read == 0 || puts == seen) return idle();
    seen = puts;
    tally.taken_sum += array.read();
    tally.counts.steals += read;
  });
  result = tally;
}

}  // namespace

QueueMeasurement measure_read_array(mark::ThreadPool& threads, const QueueLoad& load) {
  const std::uint64_t capacity = load.shape.capacity();
  const auto read =
      static_cast<std::uint64_t>(std::llround(load.pace.most_percent / 100 * static_cast<double>(capacity)));
  ReadArray array(capacity, read);
  WorkerTally owner;
  WorkerTally thief;
  StopSign stop;
  OwnerProgress progress;
  std::latch start(2);
  threads.run([&](std::uint32_t worker) {
    if (worker > 1) return;
    start.arrive_and_wait();
    if (worker == 1) return read_until(stop, progress, array, thief, read);
    ReadArray* const own = &array;
    repeat_for(load.time, 2 * capacity - read, owner, [&] {
      owner.counts.puts += fill(*opaque(own), opaque(capacity), 1);
      progress.tell(owner.counts.puts);
      owner.counts.gets += drain(*opaque(own), opaque(capacity - read), owner.taken_sum);
      own->start_over();
    });
    stop.raise();
  });
  const WorkerTally* const tallies[] = {&owner, &thief};
  QueueMeasurement measurement = combine(tallies);
  // These are the fills for which the thief came too late.
  measurement.counts.left = measurement.counts.puts - measurement.counts.gets - measurement.counts.steals;
  measurement.conserved = true;  // nothing is handed over
  return measurement;
}

}  // namespace jackdaw::bench
