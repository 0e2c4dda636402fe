/* For programs that include <gc.h>, not <gc/gc.h>. */
#include "gc/gc.h"
