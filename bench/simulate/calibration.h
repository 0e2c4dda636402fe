// Calibration: measures the machine's costs for a simulation, in a fraction of a second.
//
// For lines between two cores, one thread writes lines, then the other goes over them: in an order in which
// each read depends on the one before, in one known beforehand, so that several reads overlap, or with
// prefetches as well. For a steal, one thread after the other takes every granted task; with two at once, the
// time of an attempt is the cost of a lost one. For waking, a sleeping helper of a pool is called. The least
// of many rounds counts, because interference only adds; for waking it is the median.
#pragma once

#include <cstdint>
#include <string_view>

#include "bench/simulate/costs.h"

namespace jackdaw::bench {

/// Measures every cost except the remote line, which needs several nodes and placed threads. Costs that need
/// two processors keep their defaults if this process may use only one. Some 100 ms.
MachineCosts measure_machine_costs();

/// Measures the costs of the queue of that name, one of simulated_queue_names(). With one processor, a
/// contended steal keeps its default. Some 50 ms.
QueueCosts measure_queue_costs(std::string_view queue);

}  // namespace jackdaw::bench
