// Stands in for base/stress.h: the model checker tries every order.
#pragma once

namespace jackdaw::base {

struct Stress {
  static void delay() {}
};

}  // namespace jackdaw::base
