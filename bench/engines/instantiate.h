// Instantiates an engine, for the files of this folder.
#pragma once

#include "bench/engines/with_queue.h"
#include "gc/marking/mark_task.h"
#include "gc/marking/marking_with.h"
#include "mark/victim/any.h"

namespace jackdaw::bench {

template <typename Queue>
std::unique_ptr<gc::Marking> make_engine_with(const gc::MarkingOptions& options) {
  return gc::make_marking_with<Queue, mark::AnyVictim>(options);
}

}  // namespace jackdaw::bench
