// One header and nothing before it, compiled only: -DHEADER='"gc_cpp.h"' and so on.
#ifndef HEADER
#define HEADER "gc.h"
#endif
#include HEADER
#include HEADER

extern GC_word header_was_included;
GC_word header_was_included = 1;
