// The option --threads.
#pragma once

#include <cstdint>
#include <string>

namespace jackdaw::tools {

/// Returns the number of threads that `text` asks for: a number from 1 to 1024, or "auto" for the processors
/// that this process may use. Throws InputError.
std::uint32_t parse_threads(const std::string& text);

}  // namespace jackdaw::tools
