// Environment: the variables that the C interface reads itself.
#pragma once

#include <cstdlib>
#include <cstring>

namespace jackdaw::c_interface {

/// Whether a switch is on: set, and not to 0. It is off in a program with more rights than its user.
inline bool is_switched_on(const char* variable) {
  const char* const value = secure_getenv(variable);
  return value != nullptr && std::strcmp(value, "0") != 0;
}

}  // namespace jackdaw::c_interface
