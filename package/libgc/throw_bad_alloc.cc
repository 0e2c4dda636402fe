// GC_throw_bad_alloc: what the operators of libgc's C++ headers call when memory ran out.
#include <new>

[[noreturn, gnu::visibility("default")]] void GC_throw_bad_alloc();

void GC_throw_bad_alloc() { throw std::bad_alloc(); }
