// InputError: a mistake in the user's input: an argument or a file. The command line prints its one line and
// exits with 2.
#pragma once

#include <stdexcept>
#include <string>

namespace jackdaw::tools {

/// Thrown for bad input. `what()` is one line without a trailing newline: what is wrong, where (the argument;
/// or the file and the byte offset), and what would be right. Never thrown for a defect of Jackdaw itself.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace jackdaw::tools
