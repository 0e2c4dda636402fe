// Writes a heap as V8's heap snapshots are (.heapsnapshot), for the memory panel of Chrome's developer tools.
//
// Nodes: the root, "(GC roots)", a synthetic one for each sort of places that roots lie in, and the live
// objects, with their types' names; those without references are "native". An edge to a root's object is
// named by the root's place, one between objects by the word that it lies in. Where any word may be a
// reference, the edge is "internal" or "hidden", which the panel shows grey; else "property" or "element".
#pragma once

#include "tools/command/output_file.h"
#include "tools/heap/heap_view.h"

namespace jackdaw::tools {

/// Writes all live objects of `view`, as a stream; commits nothing. Throws InputError.
void write_v8_snapshot(const HeapView& view, OutputFile& out);

}  // namespace jackdaw::tools
