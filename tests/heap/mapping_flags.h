// mapping_flags(): how the system treats a mapping.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace jackdaw::heap {

/// Returns the flags of the mapping that an address lies in, as /proc/self/smaps has them; empty where the
/// system does not tell. A space follows each.
inline std::string mapping_flags(const void* address) {
  std::ifstream smaps("/proc/self/smaps");
  bool is_in = false;
  for (std::string line; std::getline(smaps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    if (std::istringstream(line) >> std::hex >> begin >> dash >> end && dash == '-') {
      const auto number = reinterpret_cast<std::uintptr_t>(address);
      is_in = begin <= number && number < end;
    } else if (is_in && line.starts_with("VmFlags:")) {
      return line + ' ';
    }
  }
  return {};
}

}  // namespace jackdaw::heap
