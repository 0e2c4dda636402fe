// For programs that include <gc_cpp.h>, not <gc/gc_cpp.h>.
#include "gc/gc_cpp.h"
