// CollectorNote: whether a program or library contains a collector that answers inspectors.
#pragma once

#include <span>
#include <string>

namespace jackdaw::tools {

/// Whether the ELF file at `path` has the note of gc::InspectionNote. False for all that is no such file.
bool has_collector_note(const std::string& path);
/// Does the same for the beginning of a file.
bool has_collector_note(std::span<char> beginning);

}  // namespace jackdaw::tools
