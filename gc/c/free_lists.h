// Free lists: the lists of free objects that programs see.
#pragma once

namespace jackdaw::c_interface {

/// Empties them, as the objects in them are about to be reclaimed. While no other thread runs.
void forget_free_lists();

}  // namespace jackdaw::c_interface
