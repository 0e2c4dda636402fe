// Roots: those that the program's own procedure names in each collection.
#pragma once

namespace jackdaw::c_interface {

/// Lets the program name its roots. For ProcessHooks::more_roots. Throws std::bad_alloc.
void push_other_roots();

}  // namespace jackdaw::c_interface
