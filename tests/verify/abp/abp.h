// The queue of the clients in this folder.
#pragma once

#include "mark/queue/abp.h"
#include "tests/verify/queue_client.h"

using Queue = jackdaw::mark::AbpDeque<verify::Task>;
