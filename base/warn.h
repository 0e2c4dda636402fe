// warn(): messages for the people who run a program.
#pragma once

#include <string_view>

namespace jackdaw::base {

/// Writes "jackdaw: ", the text and an end of line to the error output in one system call, without malloc and
/// stdio, so that it may be called while threads are stopped. A line that cannot be written is lost.
void warn(std::string_view text);

}  // namespace jackdaw::base
