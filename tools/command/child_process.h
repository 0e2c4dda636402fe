// A program that runs in this command's place while the command waits for it.
#pragma once

#include <string>
#include <vector>

namespace jackdaw::tools {

/// The words as exec takes them: pointers into `words`, and a null pointer at the end.
std::vector<char*> pointers_to(std::vector<std::string>& words);

/// Runs the file `path` with these arguments, the first of which is its name, and waits for its end. Signals
/// to end that this process gets from others are passed on to it. Returns its exit status as a shell has it:
/// 128 and the signal's number when a signal ended it, 127 when it could not be executed, which it says.
/// Throws InputError when there can be no process.
int run_child(const std::string& path, const std::vector<std::string>& arguments);

/// Becomes the file `path`. Returns only when it cannot be executed, with errno set.
void become(const std::string& path, const std::vector<std::string>& arguments);

}  // namespace jackdaw::tools
