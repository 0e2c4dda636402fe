// The report of `jackdaw run --stats` on a program's collections.
#pragma once

#include <string>

namespace jackdaw::tools {

/// Sums up the lines of a collection log (docs/environment.md): collections, pauses, live bytes and the
/// heap's size. Other lines are ignored. The result ends with a newline.
std::string summarise_collections(const std::string& log);

}  // namespace jackdaw::tools
