// OwnFile: a file that the collector writes in a program that knows nothing of it.
//
// The program may have closed its number and opened a file of its own under it. Others may have put a link or
// a pipe at its path. Neither a limit of file sizes nor a pipe without a reader may end the program.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/own_descriptor.h"

namespace jackdaw::base {

/// One thread at a time opens and closes it. A function that returns false leaves the reason in errno.
class OwnFile {
 public:
  enum class Contents : std::uint8_t {
    kept,      ///< the file's contents stay, and what is written comes after them
    replaced,  ///< the file is emptied at once; false while another OwnFile holds its lock
  };

  /// Users who may read a new file.
  enum class Readers : std::uint8_t {
    owner,
    all,  ///< as far as the process's umask lets them
  };

  /// Opens what is at `path`, or makes a regular file there. Follows links of this user and of root. A pipe
  /// must have a reader.
  bool open(const std::string& path, Contents contents, Readers readers = Readers::owner);
  /// Makes a file of a new name, `path` with some letters and ".part" after it, which `path` becomes.
  bool make_part(std::string& path);
  void close() { descriptor_.close(); }
  [[nodiscard]] int number() const { return descriptor_.number(); }

  /// Writes all of it; a pipe has to take it at once. Any thread. Without malloc.
  [[nodiscard]] bool write(std::span<const std::byte> bytes) const { return write(bytes, kNowhere); }
  /// Writes all of it at `offset` in the file, as write() does.
  [[nodiscard]] bool write_at(off_t offset, std::span<const std::byte> bytes) const {
    return write(bytes, offset);
  }
  /// From now on, what a pipe does not take at once waits for its reader.
  void wait_for_reader() const;
  /// Whether all that was written has come to its disk, if it has one.
  [[nodiscard]] bool synchronise() const;

  /// Says what a reason in errno means for a file of the collector's.
  static std::string_view reason_of(int error);

 private:
  static constexpr off_t kNowhere = -1;

  bool write(std::span<const std::byte> bytes, off_t offset) const;

  OwnDescriptor descriptor_;
};

}  // namespace jackdaw::base
