// DumpFile: the file of a heap dump, and the child that writes it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

#include "base/own_file.h"

namespace jackdaw::gc {

/// One dump's file. One thread at a time.
class DumpFile {
 public:
  DumpFile() = default;
  explicit DumpFile(std::string path);

  /// Opens `file`. Where nothing is at the path, or a regular file with one name, it is a part beside it,
  /// which is renamed when it is complete; otherwise what is there. False, with the reason in errno.
  bool open(base::OwnFile& file);
  /// Notes the child that writes the file from now on.
  void note_child(pid_t child);
  [[nodiscard]] bool has_child() const { return child_ > 0; }

  /// Gives the dump its name, or removes it if it is not whole; returns whether it has its name. In the
  /// child, without malloc.
  [[nodiscard]] bool finish(bool is_whole) const;
  /// Removes an incomplete dump. Without malloc.
  void remove_part() const;
  /// Reports in a line that there is no dump. Without malloc.
  void tell_failed() const;

  enum class State : std::uint8_t { is_written, succeeded, failed };
  /// Returns how far the child is. Kills it if it has been idle for `patience`; 0: never.
  State look(std::chrono::seconds patience);
  /// Waits for the child, and checks on it meanwhile. Returns whether the dump is there.
  bool await(std::chrono::seconds patience);

 private:
  [[nodiscard]] bool is_stuck(std::chrono::seconds patience);

  std::string path_;
  std::string part_;     // empty: the dump goes to the path itself
  std::string failure_;  // the line for a failure, as the child may not format it
  pid_t child_ = -1;
  timespec worked_{};  // the child's processor time at the last look
  std::chrono::nanoseconds idle_{0};
  std::chrono::steady_clock::time_point looked_;
};

}  // namespace jackdaw::gc
