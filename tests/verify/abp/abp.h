// The queue of the clients in this folder.
#pragma once

#include "bench/queues/abp.h"
#include "tests/verify/queue_client.h"

using Queue = jackdaw::bench::AbpDeque<verify::Task>;
