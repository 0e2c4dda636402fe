// What the mark loop takes more beside other workers than alone, on this machine: another loop than that of a
// worker alone, with leases and looks around (mark/worker.h), even where nobody else has anything to do.
#pragma once

#include <array>
#include <memory>

#include "gc/marking.h"

namespace jackdaw::bench {

/// Marks two small combs, of which only one worker has anything, alone and beside a helper that finds
/// nothing. The difference between the combs leaves out what calling the helper takes. To be measured again
/// and again, in turn with what the figure is for: a machine's speed changes from second to second.
class LoopComparison {
 public:
  /// Throws std::bad_alloc.
  LoopComparison();
  ~LoopComparison();
  LoopComparison(const LoopComparison&) = delete;
  LoopComparison& operator=(const LoopComparison&) = delete;

  /// Marks both combs with both, a number of times: some milliseconds.
  void measure();
  /// In nanoseconds for each reference, at least 0. Of each mark the least time counts, because all else only
  /// adds.
  [[nodiscard]] double beside_ns() const;

 private:
  class Comb;

  std::unique_ptr<gc::Marking> alone_;
  std::unique_ptr<gc::Marking> beside_;
  std::array<std::unique_ptr<Comb>, 2> combs_;  // the smaller first
};

}  // namespace jackdaw::bench
