// Symbols: the names of functions and variables at the addresses of a program whose files still exist.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/graph/dump_records.h"

struct Dwfl;

namespace jackdaw::tools {

/// Whether code of that function and file is the collector's own.
[[nodiscard]] bool is_of_collector(std::string_view function, std::string_view file);

/// Reads the files' symbol tables, and their debugging information where it is installed (elfutils). A file
/// that was replaced since gives wrong names. One thread.
class Symbols {
 public:
  /// `program`: the path of the file that has no path in `files`.
  Symbols(const std::vector<DumpedObjectFile>& files, const std::string& program);

  /// Returns a name such as "counter", "list + 16" or "libfoo.so + 0x1234"; empty when no file has the
  /// address.
  [[nodiscard]] std::string name_at(std::uint64_t address) const;
  /// Returns the name of the function or variable that has the address, without its distance from the start;
  /// where it has no name, "libfoo.so + 0x1234"; empty when no file has the address.
  [[nodiscard]] std::string symbol_at(std::uint64_t address) const;
  /// Returns the line of the source as "list.c:12"; empty without debugging information.
  [[nodiscard]] std::string line_at(std::uint64_t address) const;
  /// Returns "function (list.c:12)", as far as the files tell: at least the address in hexadecimal digits.
  [[nodiscard]] std::string call_at(std::uint64_t address) const;
  /// Returns the name of the file that has the address, without its folder; empty when none has.
  [[nodiscard]] std::string file_at(std::uint64_t address) const;

 private:
  struct End {
    void operator()(Dwfl* dwfl) const;
  };

  [[nodiscard]] const DumpedObjectFile* file_with(std::uint64_t address) const;
  [[nodiscard]] std::string name_at(std::uint64_t address, bool with_offset) const;

  const std::vector<DumpedObjectFile>& files_;
  std::string program_;
  std::unique_ptr<Dwfl, End> dwfl_;
};

}  // namespace jackdaw::tools
