// Stands in for heap/huge_pages.h: a chunk of the model checker's is one such page, and none is asked for.
#pragma once

#include "heap/layout.h"

namespace jackdaw::heap {

enum class HugePageUse {};

class HugePages {
 public:
  static constexpr std::size_t kBytes = kChunkBytes;

  void set_use(HugePageUse) {}
  static bool are_wanted() { return false; }
  template <typename Write>
  static void time(Write) {}
};

}  // namespace jackdaw::heap
