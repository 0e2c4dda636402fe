// ChildProcess: runs a program and waits for it.
#pragma once

#include <string>
#include <vector>

namespace jackdaw::tools {

/// Returns the words as exec takes them: pointers into `words`, and a null pointer at the end.
std::vector<char*> pointers_to(std::vector<std::string>& words);

/// Runs the file `path` with these arguments, the first of which is its name, and waits for its end. Signals
/// to end that other processes send to this one are passed on to it. Returns a shell's exit status: 128 plus
/// the signal's number when a signal ended it, 127, with a message, when it could not be executed. Throws
/// InputError when no process can be made.
int run_child(const std::string& path, const std::vector<std::string>& arguments);

/// Replaces this process by the file `path`. Returns only when it cannot be executed, with errno set.
void become(const std::string& path, const std::vector<std::string>& arguments);

}  // namespace jackdaw::tools
