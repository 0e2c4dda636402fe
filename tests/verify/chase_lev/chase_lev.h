// The queue of the clients in this folder.
#pragma once

#include "bench/queues/chase_lev.h"
#include "tests/verify/queue_client.h"

// Three arrays, so that there is little to construct; it grows to four tasks.
using Queue = jackdaw::bench::GrowingChaseLevDeque<verify::Task, 3>;
