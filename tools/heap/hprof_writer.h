// HprofWriter: writes a heap as a Java heap dump (HPROF 1.0.2), for Eclipse MAT and VisualVM.
//
// Each live object is an array of objects, of a class for its type: its words, null where no reference lies.
// Array headers are subtracted, so that sizes are right where the last three words hold no reference. In a
// dump of Jackdaw's, an object's identifier is its address. A thread is an object of a class of its own, with
// a name, whose frames have the roots in its stack. Other roots are static fields of a class for each kind of
// place, named by the place. A field or word that may be no reference looks like any other. read_hprof()
// turns all this back into types and places, which the first string tells it to do.
#pragma once

#include "tools/command/output_file.h"
#include "tools/heap/heap_view.h"

namespace jackdaw::tools {

/// Writes all live objects of `view` as a stream, some 8 bytes for each word; commits nothing. Throws
/// InputError, also for an object of 4 GiB of references, which the format cannot hold.
void write_hprof(const HeapView& view, OutputFile& out);

}  // namespace jackdaw::tools
