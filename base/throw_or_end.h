// Errors in code that programs compile: exceptions, unless the program is compiled without them. Then a line
// on stderr, and the process ends.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace jackdaw::base {

#if defined(__cpp_exceptions)

template <typename Exception>
[[noreturn]] void throw_or_end(const Exception& exception) {
  throw exception;
}
/// The exception that `function()` throws; null when it throws none.
template <typename Function>
std::exception_ptr catch_from(Function function) {
  try {
    function();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

#else

template <typename Exception>
[[noreturn]] void throw_or_end(const Exception& exception) {
  std::fprintf(stderr, "jackdaw: %s\n", exception.what());
  std::abort();
}
template <typename Function>
std::exception_ptr catch_from(Function function) {
  function();
  return nullptr;
}

#endif

}  // namespace jackdaw::base
