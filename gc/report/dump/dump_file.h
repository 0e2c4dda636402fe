// DumpFile: the file that a dump goes to, and the child that writes it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

#include "base/own_file.h"

namespace jackdaw::gc {

/// One dump's. One thread at a time.
class DumpFile {
 public:
  DumpFile() = default;
  explicit DumpFile(std::string path);

  /// Opens `file`: a part beside the path, which takes its place when it is whole, where nothing is there or
  /// a regular file of one name; else what is there. False leaves the reason in errno.
  bool open(base::OwnFile& file);
  /// From now on, this child writes it.
  void note_child(pid_t child);
  [[nodiscard]] bool has_child() const { return child_ > 0; }

  /// In the child, at the end. Whether the dump has its name; if not, nothing is left of it. No malloc.
  [[nodiscard]] bool finish(bool is_whole) const;
  /// Leaves nothing of a dump that is not whole. No malloc.
  void remove_part() const;
  /// Says in a line that there is no dump. No malloc.
  void tell_failed() const;

  enum class State : std::uint8_t { is_written, succeeded, failed };
  /// Looks after the child. One that has done nothing for as long as `patience` is ended; 0: none is.
  State look(std::chrono::seconds patience);
  /// Waits for the child so. Whether the dump is there.
  bool await(std::chrono::seconds patience);

 private:
  [[nodiscard]] bool is_stuck(std::chrono::seconds patience);

  std::string path_;
  std::string part_;     // empty: the dump goes to the path itself
  std::string failure_;  // what is told, as the child may not make it
  pid_t child_ = -1;
  timespec worked_{};  // processor time of the child, when it was last looked at
  std::chrono::nanoseconds idle_{0};
  std::chrono::steady_clock::time_point looked_;
};

}  // namespace jackdaw::gc
