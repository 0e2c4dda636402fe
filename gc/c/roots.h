// Roots: the roots that the program's own procedure pushes in each collection.
#pragma once

namespace jackdaw::c_interface {

/// Calls the program's procedure, as ProcessHooks::more_roots. Throws std::bad_alloc.
void push_other_roots();

}  // namespace jackdaw::c_interface
