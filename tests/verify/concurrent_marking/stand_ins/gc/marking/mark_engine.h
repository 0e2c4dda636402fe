// Stands in for gc/marking/mark_engine.h: an engine of one worker (mark_loop/two_workers.cc is about
// several).
#pragma once

#include <cstdint>
#include <span>

#include "heap/block_map.h"
#include "heap/object.h"

namespace jackdaw::gc {

class WeakReferences;

struct MarkedHeap {
  const heap::BlockMap& map;
  WeakReferences* weak_references = nullptr;
  bool program_runs = false;
};

struct MarkEngine {
  static MarkEngine marker() { return {}; }
  static std::uint32_t worker_count() { return 1; }
  static void wake_helpers(std::uint32_t) {}
  template <typename Part>
  static void share(Part part, std::uint32_t parts) {
    for (std::uint32_t i = 0; i < parts; ++i) part(i);
  }
  template <typename Part>
  static void share_with_all(Part part, std::uint32_t parts) {
    share(part, parts);
  }
};

}  // namespace jackdaw::gc
