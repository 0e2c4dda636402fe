// V8Writer: writes a heap as a heap snapshot of V8 (.heapsnapshot), for the memory panel of Chrome's
// developer tools.
//
// Nodes are the root, "(GC roots)", a synthetic one for each kind of place with roots, and the live objects,
// with their types' names; those without references are "native". An edge to a root's object is named by the
// root's place, one between objects by the word that it lies in. Where any word may be a reference, the edge
// is "internal" or "hidden", which the panel shows grey; else "property" or "element".
#pragma once

#include "tools/command/output_file.h"
#include "tools/heap/heap_view.h"

namespace jackdaw::tools {

/// Writes all live objects of `view`, as a stream; commits nothing. Throws InputError.
void write_v8_snapshot(const HeapView& view, OutputFile& out);

}  // namespace jackdaw::tools
