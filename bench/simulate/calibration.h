// Measures this machine's costs that a simulation needs to know, in a fraction of a second in all.
//
// Between two cores, line by line: one thread writes lines, then the other goes over them, in an order in
// which each read depends on the one before (waited for), or in one that is known beforehand, so that several
// are on their way at once, or prefetched besides. A steal: one thread after the other takes every task that
// was granted; two at once, and what an attempt takes is what a lost one costs. Waking: a helper of a pool
// that sleeps is called. Of many rounds the least counts, because whatever else the machine does only adds;
// of waking, the median.
#pragma once

#include <cstdint>
#include <string_view>

#include "bench/simulate/costs.h"

namespace jackdaw::bench {

/// Every cost but the remote line, which takes a machine with several nodes and placed threads. Costs that
/// take two processors to measure keep their defaults where this process may use only one. Some 100 ms.
MachineCosts measure_machine_costs();

/// The costs of the queue of that name, which must be one of simulated_queue_names(). With one processor, a
/// contended steal keeps its default. Some 50 ms.
QueueCosts measure_queue_costs(std::string_view queue);

}  // namespace jackdaw::bench
