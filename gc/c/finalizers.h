// Finalizers: when ready finalizers are called, and how the program learns of them.
#pragma once

namespace jackdaw::c_interface {

/// Calls ready finalizers, or notifies a program that calls them itself. Without the lock, after a
/// collection. Throws what they throw.
void attend_to_finalizers();

/// Tells the program of each object whose finalizer became ready. With the lock.
void announce_ready_finalizers();

/// Asks the program how each toggle reference is to be held. With the lock, before the threads are stopped.
void ask_about_toggle_references();

}  // namespace jackdaw::c_interface
