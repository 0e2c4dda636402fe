// Leaks: unreachable objects that the program did not free, in the leak-finding mode.
#pragma once

namespace jackdaw::c_interface {

/// Begins the mode if the environment asks for it, and has leaks searched for at exit, too. For GC_init.
void start_finding_leaks();
/// Notes dead objects and keeps them. To be called while no other thread runs, after the last marking.
void note_leaks();
/// Writes a line for each object that was noted to the error output, and frees it. Without the lock.
void report_leaks();

}  // namespace jackdaw::c_interface
