// The queue of the clients in this folder.
#pragma once

#include "mark/queue/bwos_lifo.h"
#include "tests/verify/queue_client.h"

using Queue = jackdaw::mark::BwosLifo<verify::Task>;
