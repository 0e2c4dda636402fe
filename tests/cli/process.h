// Runs the jackdaw command as a process of its own and keeps what it printed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

/// The same for any program, by its path.
Outcome run_program(std::vector<std::string> words, const std::string& stdout_path = "");

/// The path of `tests/data/javac.hprof.gz`.
std::string java_heap_dump();

/// A folder of the test's own that is removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }
  /// The path of a file in the folder.
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Names of what is in the folder, sorted.
  [[nodiscard]] std::vector<std::string> contents() const;

 private:
  std::filesystem::path path_;
};

/// A file's bytes.
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

}  // namespace jackdaw::cli
