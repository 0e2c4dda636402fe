// SharedLines: simulated cache lines that travel between workers' caches.
//
// The protocol is the usual one: a line is in the caches of any number of readers, or in that of one writer.
// Reading a line that is not in the worker's cache fetches it from the last writer; writing makes all other
// copies invalid. Caches have room for everything, because a worker's own cache misses are in its measured
// time. So a line that no other worker wrote costs nothing. Contention is that a line on its way to one
// worker reaches the next one only after that.
//
// A simplification: a transfer takes one time within a node and another between nodes, whatever the distance.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bench/simulate/costs.h"

namespace jackdaw::bench {

/// How a worker fetches a line, and so which of MachineCosts it pays.
enum class Fetch : std::uint8_t {
  waited,      ///< the worker waits for it: line
  read,        ///< others are under way meanwhile: line_read
  mark,        ///< likewise, for a locked operation: line_mark
  ahead_read,  ///< it was prefetched before: ahead_read
  ahead_mark,  ///< likewise, for a locked operation: ahead_mark
};

class SharedLines {
 public:
  /// Makes lines that no worker has. `nodes` is the memory node of each worker; both must outlive the object.
  /// One bit for each line and worker.
  SharedLines(std::size_t lines, std::span<const std::uint32_t> nodes, const MachineCosts& costs)
      : nodes_(nodes),
        costs_(costs),
        words_per_line_((nodes.size() + 63) / 64),
        lines_(lines),
        holders_(lines * words_per_line_) {}

  /// A worker reads a line at `now`. Returns how long it waits. O(1).
  double read(std::uint32_t worker, std::size_t line, double now, Fetch fetch = Fetch::waited) {
    Line& state = lines_[line];
    if (holds(worker, line)) return 0;
    add_holder(worker, line);
    const std::uint32_t source = source_of(state, worker);
    note_getter(state, worker);
    return source == kNobody ? 0 : transfer(state, worker, source, now, fetch);
  }

  /// A worker writes a line at `now`. Returns how long it waits. O(workers ÷ 64).
  double write(std::uint32_t worker, std::size_t line, double now, Fetch fetch = Fetch::waited) {
    Line& state = lines_[line];
    const bool is_alone = state.holders == (holds(worker, line) ? 1U : 0U);
    const std::uint32_t source = source_of(state, worker);
    if (!is_alone) {
      drop_holders(line);
      add_holder(worker, line);
    } else if (state.holders == 0) {
      add_holder(worker, line);
    }
    note_getter(state, worker);
    return is_alone || source == kNobody ? 0 : transfer(state, worker, source, now, fetch);
  }

  /// Returns the time that a line takes from one worker to another.
  [[nodiscard]] double distance(std::uint32_t from, std::uint32_t to) const {
    return nodes_[from] == nodes_[to] ? costs_.line : costs_.remote_line;
  }

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  struct Line {
    // The time at which it arrives at its last receiver.
    double free_at = -std::numeric_limits<double>::infinity();
    std::uint32_t last = kNobody;         // the worker that got it last
    std::uint32_t before_last = kNobody;  // the worker that got it before that one
    std::uint32_t holders = 0;
  };

  // Returns the worker whose copy is fetched, or must be invalidated.
  static std::uint32_t source_of(const Line& line, std::uint32_t worker) {
    return line.last == worker ? line.before_last : line.last;
  }
  static void note_getter(Line& line, std::uint32_t worker) {
    if (line.last == worker) return;
    line.before_last = line.last;
    line.last = worker;
  }

  // Returns the remaining wait for a line whose whole transfer takes `line`.
  [[nodiscard]] double left_of_line(Fetch fetch) const {
    switch (fetch) {
      case Fetch::read:
        return costs_.line_read;
      case Fetch::mark:
        return costs_.line_mark;
      case Fetch::ahead_read:
        return costs_.ahead_read;
      case Fetch::ahead_mark:
        return costs_.ahead_mark;
      default:
        return costs_.line;
    }
  }

  double transfer(Line& line, std::uint32_t to, std::uint32_t from, double now, Fetch fetch) {
    const double whole = distance(from, to);
    // A line that takes no time has no share to take.
    const double left = costs_.line == 0 ? left_of_line(fetch) : whole * left_of_line(fetch) / costs_.line;
    // The prefetch was early enough that, without contention, only this wait is left.
    const double arrival = std::max(now + left - whole, line.free_at) + whole;
    line.free_at = arrival;
    return std::max(0.0, arrival - now);
  }

  std::uint64_t& word_of(std::uint32_t worker, std::size_t line) {
    return holders_[line * words_per_line_ + worker / 64];
  }
  bool holds(std::uint32_t worker, std::size_t line) {
    return (word_of(worker, line) >> (worker % 64) & 1) != 0;
  }
  void add_holder(std::uint32_t worker, std::size_t line) {
    word_of(worker, line) |= std::uint64_t{1} << (worker % 64);
    ++lines_[line].holders;
  }
  void drop_holders(std::size_t line) {
    std::fill_n(holders_.begin() + static_cast<std::ptrdiff_t>(line * words_per_line_), words_per_line_, 0);
    lines_[line].holders = 0;
  }

  std::span<const std::uint32_t> nodes_;
  const MachineCosts& costs_;
  std::size_t words_per_line_;
  std::vector<Line> lines_;
  std::vector<std::uint64_t> holders_;
};

}  // namespace jackdaw::bench
