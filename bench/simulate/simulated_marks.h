// SimulatedMarks: the marks and leases of a simulated round, and what it takes workers to come by them.
//
// What a mark takes that another worker's core has depends on whether the processor foresees what it will
// find (SimulatedWorker::foresees). Then it goes on meanwhile, as it does after a mark of its own, and lines
// that it waits for overlap. Else it waits for this one; and for a locked operation, to write it as well.
// Far marks are asked for ahead.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bench/simulate/shared_lines.h"
#include "bench/simulate/simulated_worker.h"
#include "bench/simulate/simulation.h"
#include "mark/lease.h"

namespace jackdaw::bench {

class SimulatedMarks {
 public:
  /// All must outlive the object. `nodes`: the memory node of each worker.
  SimulatedMarks(const Recording& recording, std::span<const std::uint32_t> nodes,
                 const SimulationSetup& setup)
      : recording_(recording),
        machine_(setup.machine),
        visits_(setup.visits),
        is_found_(recording.node_count(), false),
        leases_(recording.line_count() / Recording::kLinesPerLease + 1),
        holders_(nodes.size()),
        mark_lines_(recording.line_count(), nodes, setup.machine),
        lease_lines_(leases_.size() / kLeasesOfALine + 1, nodes, setup.machine) {}

  /// Leaves the lines in the cache of the worker that clears. Takes the time that was measured.
  void clear(const SimulatedWorker& worker) {
    for (std::size_t line = 0; line < recording_.line_count(); ++line)
      mark_lines_.write(worker.index, line, 0);
    for (std::size_t line = 0; line * kLeasesOfALine < leases_.size(); ++line)
      lease_lines_.write(worker.index, line, 0);
  }

  /// A worker marks a node that has a mark. Whether it was the first to do so. O(workers ÷ 64).
  bool mark(SimulatedWorker& worker, RecordedNode node) {
    const std::uint32_t line = recording_.line_of(node);
    if (worker.samples_next_mark) sample(worker, line);
    // Whether or not the mark is new, the lease is looked at first.
    const bool is_locked = worker.state != SimulatedWorker::State::alone && !may_mark_alone(worker, line);
    const bool is_new = !is_found_[node];
    const bool is_foreseen = worker.foresees(is_new);
    if (is_new) {
      is_found_[node] = true;
      set(worker, line, is_foreseen, is_locked);
    } else {
      look_at(worker, line, is_foreseen);
    }
    return is_new;
  }

  /// A worker that runs dry gives its leases up.
  void give_leases_up(const SimulatedWorker& worker) { ++holders_[worker.index].generation; }

 private:
  static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kEverybody = kNobody - 1;
  static constexpr std::size_t kLeasesOfALine = 16;

  // Of a region: its holder, or kNobody or kEverybody, and that one's generation.
  struct Lease {
    std::uint32_t holder = kNobody;
    std::uint32_t generation = 0;
    bool operator==(const Lease&) const = default;
  };
  struct Holder {
    std::uint32_t generation = 0;
    std::uint32_t times_asked = 0;
  };

  // Times one mark by the clock, before and after which nothing else goes on.
  void sample(SimulatedWorker& worker, std::uint32_t line) {
    const double waited = mark_lines_.read(worker.index, line, worker.now);
    worker.now += waited;
    const double sampled = std::max(waited, visits_.sample);
    worker.distance.add_sample(mark::MarkDistance::Duration(static_cast<std::int64_t>(sampled)));
    worker.distance.end_sampled_visit();
    worker.samples_next_mark = false;
  }

  // Far marks are asked for to be written, before it is known that they are set.
  void look_at(SimulatedWorker& worker, std::uint32_t line, bool is_foreseen) {
    if (worker.is_far()) {
      worker.now += mark_lines_.write(worker.index, line, worker.now, Fetch::ahead_read);
    } else {
      const Fetch fetch = is_foreseen ? Fetch::read : Fetch::waited;
      worker.now += mark_lines_.read(worker.index, line, worker.now, fetch);
    }
  }

  void set(SimulatedWorker& worker, std::uint32_t line, bool is_foreseen, bool is_locked) {
    if (worker.is_far()) {
      const Fetch fetch = is_locked ? Fetch::ahead_mark : Fetch::ahead_read;
      worker.now += mark_lines_.write(worker.index, line, worker.now, fetch);
    } else if (is_foreseen) {
      const Fetch fetch = is_locked ? Fetch::mark : Fetch::read;
      worker.now += mark_lines_.write(worker.index, line, worker.now, fetch);
    } else {
      worker.now += mark_lines_.read(worker.index, line, worker.now);
      // A processor waits for the line of a locked operation, and for that of a store it does not.
      const double to_write = mark_lines_.write(worker.index, line, worker.now);
      if (is_locked) worker.now += to_write;
    }
    if (is_locked) worker.now += visits_.locked_mark;
  }

  // Whether the worker holds the lease of the region, which it takes if it can (mark/lease.h).
  bool may_mark_alone(SimulatedWorker& worker, std::uint32_t line) {
    const std::size_t region = line / Recording::kLinesPerLease;
    const std::size_t words = region / kLeasesOfALine;
    const Holder& self = holders_[worker.index];
    worker.now += lease_lines_.read(worker.index, words, worker.now, Fetch::read);
    Lease& lease = leases_[region];
    if (lease == Lease{worker.index, self.generation}) return true;
    if (lease.holder == kEverybody) return false;
    const bool is_own = lease.holder == kNobody || lease.holder == worker.index;
    if (!is_own && holders_[lease.holder].generation == lease.generation) ask(worker, lease.holder);
    worker.now += machine_.locked + lease_lines_.write(worker.index, words, worker.now);
    const bool takes_it = is_own && self.times_asked < mark::Leases::kPatience;
    lease = {takes_it ? worker.index : kEverybody, self.generation};
    return takes_it;
  }

  // Writes to a line of the holder's, which gives its leases up and says so in another. Meanwhile the worker
  // does something else.
  void ask(SimulatedWorker& worker, std::uint32_t holder) {
    worker.now += 2 * mark_lines_.distance(worker.index, holder);
    ++holders_[holder].times_asked;
    ++holders_[holder].generation;
  }

  const Recording& recording_;
  const MachineCosts& machine_;
  const VisitCosts& visits_;
  std::vector<bool> is_found_;
  std::vector<Lease> leases_;    // of each region
  std::vector<Holder> holders_;  // each worker as such
  SharedLines mark_lines_;
  SharedLines lease_lines_;
};

}  // namespace jackdaw::bench
