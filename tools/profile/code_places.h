// CodePlaces: functions and lines at the addresses of a profile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/graph/dump_records.h"
#include "tools/heap/symbols.h"
#include "tools/profile/profile_file.h"

namespace jackdaw::tools {

/// Looks each address up only once. One thread.
class CodePlaces {
 public:
  /// The files are those that the profile's mappings name.
  explicit CodePlaces(const ProfileFile& profile);

  /// Returns the function, or the address in hexadecimal digits where no file tells one.
  const std::string& function_at(std::uint64_t address);
  /// Returns "function (file:line)", as far as the files tell.
  [[nodiscard]] std::string name_of(std::uint64_t address) const { return symbols_.call_at(address); }
  /// Returns "file:line"; empty where no file tells it.
  [[nodiscard]] std::string line_at(std::uint64_t address) const { return symbols_.line_at(address); }
  /// Whether the address is the collector's own, from which the program is called by nobody.
  bool is_of_collector(std::uint64_t address);

 private:
  const std::vector<DumpedObjectFile> files_;
  Symbols symbols_;
  std::map<std::uint64_t, std::string> functions_;
};

}  // namespace jackdaw::tools
