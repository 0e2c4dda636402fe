// Environment: the variables that the C interface itself looks at.
#pragma once

#include <cstdlib>
#include <cstring>

namespace jackdaw::c_interface {

/// Whether a switch is on: set, and not to 0. Off in a program that runs with more rights than its user.
inline bool is_switched_on(const char* variable) {
  const char* const value = secure_getenv(variable);
  return value != nullptr && std::strcmp(value, "0") != 0;
}

}  // namespace jackdaw::c_interface
