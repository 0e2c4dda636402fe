#include "gc/c/undeclared.h"

#pragma GCC visibility push(default)
extern "C" {

void GC_noop1(GC_word value) { asm volatile("" : : "r"(value)); }

GC_word GC_arrays = 0;

}  // extern "C"
#pragma GCC visibility pop
