// Every queue by name, for the benchmarks. A new one is a header in this folder, a line here, a file in
// bench/engines/ that instantiates its engine, and an entry in tests/mark/queue_kinds.h. The first is the
// benchmarks' default; the collector names its own in gc/marking/marking.cc.
#pragma once

#include <tuple>

#include "mark/choice.h"
#include "mark/queue/abp.h"
#include "mark/queue/bwos_fifo.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/queue/chase_lev.h"
#include "mark/queue/locked.h"
#include "mark/queue/sequential_fifo.h"
#include "mark/queue/sequential_lifo.h"

namespace jackdaw::mark {

using QueueChoices =
    std::tuple<QueueChoice<"bwos-lifo", BwosLifo>, QueueChoice<"bwos-fifo", BwosFifo>,
               QueueChoice<"abp", AbpDeque>, QueueChoice<"chase-lev", ChaseLevDeque>,
               QueueChoice<"locked", LockedDeque>, QueueChoice<"sequential-lifo", SequentialLifo>,
               QueueChoice<"sequential-fifo", SequentialFifo>>;

}  // namespace jackdaw::mark
