// Calibration: how the thief experiment of `jackdaw queue` reaches the wanted percentage of stolen tasks.
//
// Source: Wang et al., "BWoS", OSDI 2023, §6.2.2: it varies the ratio of puts to gets, and the thief's idle
// time between steals.
//
// In each round the owner puts until the queue is full and then gets a set number of tasks, or until it is
// empty. To have p % stolen it gets at most (100 - p) % of what it puts, and the thief takes the rest. After
// each round the owner publishes how much it has got, and the thief idles while it has its p %. So the
// percentage holds whatever else the machine does, and no idle time has to be searched for.
//
// A thief may fall short because it finds too little, as in a queue in blocks, whose last block is the
// owner's. So the owner's gets are halved, down to an eighth of the first number, until the thief has enough.
// Fewer are not tried: an owner that mostly finds its queue full would run at the thief's pace, and its
// throughput would say nothing of the queue. The report says if the percentage is still not reached.
#pragma once

#include <cstdint>
#include <functional>

#include "bench/queue/queue_measurement.h"

namespace jackdaw::bench {

/// Returns the percentage stolen in a short measurement at a pace.
using PaceProbe = std::function<double(const ThiefPace&)>;

/// Returns the pace at which about `wanted_percent` (0 to 99) of the tasks are stolen from a queue of this
/// capacity, or the most that can be. At 0 the thief never steals. Probes at most kMostProbes times.
ThiefPace calibrate_thief(double wanted_percent, std::uint64_t capacity, const PaceProbe& probe);

inline constexpr int kMostProbes = 4;

/// Whether a measurement reached the wanted percentage, within what thieves that take many tasks at a time
/// can hold.
bool is_reached(double wanted_percent, double percent);

}  // namespace jackdaw::bench
