// The queue of the clients in this folder.
#pragma once

#include "mark/queue/bwos_fifo.h"
#include "tests/verify/queue_client.h"

using Queue = jackdaw::mark::BwosFifo<verify::Task>;
