// Stands in for gc/process/stops_by_signal.h: they do.
#pragma once

namespace jackdaw::gc {

inline constexpr bool kStopsBySignal = true;

}  // namespace jackdaw::gc
