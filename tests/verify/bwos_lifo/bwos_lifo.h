// The queue of the clients in this folder.
#pragma once

#include "base/prefetch.h"
#include "mark/queue/bwos_lifo.h"
#include "tests/verify/queue_client.h"

using Queue = jackdaw::mark::BwosLifo<verify::Task>;

// Two tasks are a piece of a block: the header of `memory` stands in, not the real one.
static_assert(8 * jackdaw::base::kCacheLineBytes == 2 * sizeof(verify::Task));
