// The message with which a function refuses its input.
#pragma once

#include <string>

namespace jackdaw {

/// Returns the message of the Error that `call()` throws, or "accepted".
template <typename Error, typename Call>
[[nodiscard]] std::string message_of(Call call) {
  try {
    (void)call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace jackdaw
