#include "gc/c/undeclared.h"

#pragma GCC visibility push(default)
extern "C" {

void GC_noop1(GC_word value) { asm volatile("" : : "r"(value)); }
void GC_noop1_ptr(volatile void* pointer) { asm volatile("" : : "r"(pointer) : "memory"); }

GC_word GC_arrays = 0;

}  // extern "C"
#pragma GCC visibility pop
