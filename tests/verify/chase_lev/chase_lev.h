// The queue of the clients in this folder.
#pragma once

#include "mark/queue/chase_lev.h"
#include "tests/verify/queue_client.h"

using Queue = jackdaw::mark::ChaseLevDeque<verify::Task>;
