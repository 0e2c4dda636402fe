// The C interface's headers as the library itself includes them: with all that they can declare, without
// macros over the thread library's names, and without warnings of deprecation.
//
// The functions are defined in the library's namespace, where the compiler takes them for other declarations:
// so their visibility must be stated again there.
#pragma once

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#define GC_REQUIRE_WCSDUP
#define GC_ATTR_DEPRECATED

#include "jackdaw/code_roots.h"
#include "jackdaw/gc.h"
#include "jackdaw/gc_disclaim.h"
#include "jackdaw/gc_gcj.h"
#include "jackdaw/gc_inline.h"
#include "jackdaw/gc_mark.h"
#include "jackdaw/gc_typed.h"
#include "jackdaw/javaxfc.h"
#include "jackdaw/stacks.h"
