// The C interface's headers as the library itself includes them: with everything that they can declare, names
// of the thread library left alone, and no warning about what is deprecated.
//
// The functions are defined in the library's namespace, where they are declarations of their own to the
// compiler: what gc.h says of their visibility has to be said once more there.
#pragma once

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#define GC_REQUIRE_WCSDUP
#define GC_ATTR_DEPRECATED

#include "jackdaw/gc.h"
#include "jackdaw/gc_disclaim.h"
#include "jackdaw/gc_gcj.h"
#include "jackdaw/gc_inline.h"
#include "jackdaw/gc_mark.h"
#include "jackdaw/gc_typed.h"
#include "jackdaw/javaxfc.h"
