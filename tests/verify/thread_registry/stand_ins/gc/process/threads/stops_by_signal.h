// Stands in for gc/process/threads/stops_by_signal.h: they do.
#pragma once

namespace jackdaw::gc {

inline constexpr bool kStopsBySignal = true;

}  // namespace jackdaw::gc
