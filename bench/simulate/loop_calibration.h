// What the mark loop takes more beside other workers than alone, on this machine: another loop than that of a
// worker alone, with leases and looks around (mark/worker.h), even where nobody else has anything to do.
#pragma once

namespace jackdaw::bench {

/// In nanoseconds for each reference. Marks two small combs, of which only one worker has anything, alone and
/// beside a helper that finds nothing, in turn. The difference between the combs leaves out what calling the
/// helper takes. At least 0; a fraction of a second. Throws std::bad_alloc.
double measure_loop_beside();

}  // namespace jackdaw::bench
