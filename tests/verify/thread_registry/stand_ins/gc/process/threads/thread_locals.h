// Stands in for gc/process/threads/thread_locals.h: there are none.
#pragma once

#include <span>

#include "heap/word_scan.h"

namespace jackdaw::gc {

struct ThreadLocalModule {};

class ThreadLocals {
 public:
  static ThreadLocals of_this_thread() { return {}; }
  template <typename Function>
  void for_each_block(std::span<const ThreadLocalModule>, Function) const {}
};

}  // namespace jackdaw::gc
