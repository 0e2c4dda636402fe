// SimulatedMarks: the marks and biases of a simulated round, and the time that workers need to get them.
//
// The cost of a mark that another worker's core has depends on whether the processor predicts what it will
// find (SimulatedWorker::foresees). If so, it continues meanwhile, as after a mark of its own, and transfers
// overlap. Otherwise it waits for this line, and, for a locked operation, to write it as well. Far marks are
// prefetched.
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
#include "mark/biased_regions.h"

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
        biased_regions_(recording.line_count() / Recording::kLinesPerBias + 1),
        holders_(nodes.size()),
        mark_lines_(recording.line_count(), nodes, setup.machine),
        bias_lines_(biased_regions_.size() / kBiasWordsOfALine + 1, nodes, setup.machine) {}

  /// Leaves the lines in the cache of the worker that clears the marks. It takes the measured time.
  void clear(const SimulatedWorker& worker) {
    for (std::size_t line = 0; line < recording_.line_count(); ++line)
      mark_lines_.write(worker.index, line, 0);
    for (std::size_t line = 0; line * kBiasWordsOfALine < biased_regions_.size(); ++line)
      bias_lines_.write(worker.index, line, 0);
  }

  /// A worker marks a node that has a mark. Returns whether it was the first. O(workers ÷ 64).
  bool mark(SimulatedWorker& worker, RecordedNode node) {
    const std::uint32_t line = recording_.line_of(node);
    if (worker.samples_next_mark) sample(worker, line);
    // The bias is read first, whether or not the mark is new.
    const bool is_locked = worker.state != SimulatedWorker::State::alone && !may_mark_serially(worker, line);
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

  /// Ends the biases of a worker that runs out of tasks.
  void end_biases(const SimulatedWorker& worker) { ++holders_[worker.index].generation; }

 private:
  static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kEverybody = kNobody - 1;
  static constexpr std::size_t kBiasWordsOfALine = 16;

  // A region's holder, or kNobody or kEverybody, and the holder's generation.
  struct Bias {
    std::uint32_t holder = kNobody;
    std::uint32_t generation = 0;
    bool operator==(const Bias&) const = default;
  };
  struct Holder {
    std::uint32_t generation = 0;
    std::uint32_t times_asked = 0;
  };

  // Times one mark by the clock; nothing else overlaps with it.
  void sample(SimulatedWorker& worker, std::uint32_t line) {
    const double waited = mark_lines_.read(worker.index, line, worker.now);
    worker.now += waited;
    const double sampled = std::max(waited, visits_.sample);
    worker.distance.add_sample(mark::MarkDistance::Duration(static_cast<std::int64_t>(sampled)));
    worker.distance.end_sampled_visit();
    worker.samples_next_mark = false;
  }

  // Far marks are prefetched for writing, before it is known whether they are set.
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
      // A processor waits for the line of a locked operation, but not for that of a store.
      const double to_write = mark_lines_.write(worker.index, line, worker.now);
      if (is_locked) worker.now += to_write;
    }
    if (is_locked) worker.now += visits_.locked_mark;
  }

  // Whether the worker holds the bias of the region; it takes the bias if it can (mark/biased_regions.h).
  bool may_mark_serially(SimulatedWorker& worker, std::uint32_t line) {
    const std::size_t region = line / Recording::kLinesPerBias;
    const std::size_t words = region / kBiasWordsOfALine;
    const Holder& self = holders_[worker.index];
    worker.now += bias_lines_.read(worker.index, words, worker.now, Fetch::read);
    Bias& bias = biased_regions_[region];
    if (bias == Bias{worker.index, self.generation}) return true;
    if (bias.holder == kEverybody) return false;
    const bool is_own = bias.holder == kNobody || bias.holder == worker.index;
    if (!is_own && holders_[bias.holder].generation == bias.generation) ask(worker, bias.holder);
    worker.now += machine_.locked + bias_lines_.write(worker.index, words, worker.now);
    const bool takes_it = is_own && self.times_asked < mark::BiasedRegions::kPatience;
    bias = {takes_it ? worker.index : kEverybody, self.generation};
    return takes_it;
  }

  // Asks the holder by a write to a line of its own; the holder ends its biases by a write to another line.
  // The worker does other work meanwhile.
  void ask(SimulatedWorker& worker, std::uint32_t holder) {
    worker.now += 2 * mark_lines_.distance(worker.index, holder);
    ++holders_[holder].times_asked;
    ++holders_[holder].generation;
  }

  const Recording& recording_;
  const MachineCosts& machine_;
  const VisitCosts& visits_;
  std::vector<bool> is_found_;
  std::vector<Bias> biased_regions_;  // of each region
  std::vector<Holder> holders_;       // one for each worker
  SharedLines mark_lines_;
  SharedLines bias_lines_;
};

}  // namespace jackdaw::bench
