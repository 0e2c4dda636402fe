// log_line: reads a collection log (docs/environment.md) in either format, without trusting it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gc/report/collection_log.h"

namespace jackdaw::tools {

/// Reads the record of a collection from a line without its end. Words that later versions added are skipped.
/// Throws InputError, which does not say where the line is.
gc::CollectionRecord read_log_line(std::string_view line);

/// Reads the log at `path` and returns its collections in order, at least one. Lines that the program wrote
/// in between, and a last line that is cut off, are skipped. Throws InputError with "FILE:LINE".
std::vector<gc::CollectionRecord> read_log(const std::string& path);

}  // namespace jackdaw::tools
