// This header stands in for mark/own_processor.h: a thread is on no processor.
#pragma once

namespace jackdaw::mark {

class OwnProcessor {
 public:
  static int current() { return 0; }
  void leave(int) const {}
};

}  // namespace jackdaw::mark
