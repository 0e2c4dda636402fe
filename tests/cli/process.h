// Runs the jackdaw command as a process of its own and keeps what it printed.
#pragma once

#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace jackdaw::cli {

/// The exit status and the output of a process.
struct Outcome {
  int status = -1;  ///< the exit status; 128 and the signal's number when a signal ended it
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

/// Runs jackdaw with the arguments and waits for its end. Its standard input is empty. `stdout_path`: where
/// standard output goes instead of into the outcome.
Outcome run_jackdaw(const std::vector<std::string>& arguments, const std::string& stdout_path = "");

/// Runs any program, by its path, as run_jackdaw() runs jackdaw.
Outcome run_program(std::vector<std::string> words, const std::string& stdout_path = "");

/// The path of `tests/data/javac.hprof.gz`.
std::string java_heap_dump();

}  // namespace jackdaw::cli
