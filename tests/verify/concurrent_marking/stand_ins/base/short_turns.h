// Stands in for base/short_turns.h: the model checker takes all turns.
#pragma once

namespace jackdaw::base {

class ShortTurns {
 public:
  ShortTurns() {}  // NOLINT(modernize-use-equals-default): a variable that is used
};

}  // namespace jackdaw::base
