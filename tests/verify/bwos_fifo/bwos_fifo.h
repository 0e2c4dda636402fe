// The queue of the clients in this folder.
#pragma once

#include "bench/queues/bwos_fifo.h"
#include "tests/verify/queue_client.h"

using Queue = jackdaw::bench::BwosFifo<verify::Task>;
