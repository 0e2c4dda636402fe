// Stands in for mark/own_processor.h: where a thread runs does not matter.
#pragma once

namespace jackdaw::mark {

class OwnProcessor {
 public:
  static int current() { return 0; }
  void leave(int) const {}
};

}  // namespace jackdaw::mark
