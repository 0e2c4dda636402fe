// The report of `jackdaw run --stats` on a program's collections.
#pragma once

#include <string>

namespace jackdaw::tools {

/// Sums up the lines of a collection log (docs/environment.md): collections, pauses, what is live and how big
/// the heap became. Lines that are not of such a log do not count. What it returns ends with a newline.
std::string summarise_collections(const std::string& log);

}  // namespace jackdaw::tools
