// Leaks: in the leak-finding mode, objects that nothing reaches and that the program did not free.
#pragma once

namespace jackdaw::c_interface {

/// Begins the mode if the environment asks for it, and has it look once more when the program ends. In
/// GC_init.
void start_finding_leaks();
/// When nothing more will be marked, while no other thread runs: notes dead objects, and keeps them.
void note_leaks();
/// Writes a line for each object that was noted to the error output, and frees it. Without the lock.
void report_leaks();

}  // namespace jackdaw::c_interface
