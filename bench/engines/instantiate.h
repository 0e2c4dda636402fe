// Defines make_engine_with, for the files of this folder that instantiate an engine.
#pragma once

#include "bench/engines/with_queue.h"
#include "bench/victims/any.h"
#include "gc/marking/mark_engine_with.h"
#include "gc/marking/mark_task.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::bench {

template <typename Queue>
std::unique_ptr<gc::MarkEngine> make_engine_with(const gc::MarkingOptions& options, std::string_view victim) {
  const mark::VictimMaker<AnyVictim> make_victim = [victim](const mark::VictimSetup& setup) {
    return AnyVictim(setup, victim);
  };
  return gc::make_mark_engine_with<Queue, AnyVictim>(options, make_victim);
}

}  // namespace jackdaw::bench
