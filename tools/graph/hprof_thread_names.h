// read_thread_names: a further pass over a Java heap dump for the contents of some strings.
#pragma once

#include "tools/graph/graph.h"
#include "tools/graph/hprof_names.h"
#include "tools/graph/hprof_records.h"

namespace jackdaw::tools {

/// Reads the names of the threads in `names` out of the arrays that their objects in `graph` lead to, and
/// ends at the last of them. Reads nothing if there is no such array. Throws InputError.
void read_thread_names(HprofRecords& records, const Graph& graph, HprofNames& names);

}  // namespace jackdaw::tools
