// How the thief experiment of `jackdaw queue` comes to the wanted percentage of stolen tasks.
//
// Source: Wang et al., "BWoS", OSDI 2023, §6.2.2: the ratio of puts to gets is adjusted, and how long the
// thief idles between steals.
//
// In a round the owner puts until the queue is full and then gets a set number of tasks, or until it is
// empty. To have p % stolen it gets (100 - p) % of what it puts at most, and the thief takes the rest. The
// owner tells after each round how much it has got, and the thief idles while it has its p %: so the
// percentage is kept whatever else the machine does, and there is no idle time to be found.
//
// A thief that falls short may have had too little to find, as with a queue in blocks, the last of which is
// the owner's. So the owner's gets are halved, down to an eighth of the first number, and the first number
// that suffices is taken. They are not made fewer than that: an owner that does little but find its queue
// full would go at the thief's pace, and its throughput would say nothing of the queue. A percentage that is
// still not reached then is not reached, and the report says so.
#pragma once

#include <cstdint>
#include <functional>

#include "bench/queue/queue_measurement.h"

namespace jackdaw::bench {

/// The percentage stolen in a short measurement at a pace.
using PaceProbe = std::function<double(const ThiefPace&)>;

/// The pace at which about `wanted_percent` (0 to 99) of the tasks are stolen from a queue of this capacity,
/// or as many as can be. A thief that is to steal nothing never does. Probes at most kMostProbes times.
ThiefPace calibrate_thief(double wanted_percent, std::uint64_t capacity, const PaceProbe& probe);

inline constexpr int kMostProbes = 4;

/// Whether a measurement came to the wanted percentage, as near as thieves that take many tasks at a time do.
bool is_reached(double wanted_percent, double percent);

}  // namespace jackdaw::bench
