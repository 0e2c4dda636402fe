// Free lists: those that programs see.
#pragma once

namespace jackdaw::c_interface {

/// Empties them: what the program put in is about to be reclaimed. While no other thread runs.
void forget_free_lists();

}  // namespace jackdaw::c_interface
