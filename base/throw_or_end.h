// throw_or_end: reports errors in headers that programs compile, by an exception or, in a program that is
// compiled without exceptions, by a line on stderr and abort.
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
/// Returns the exception that `function()` throws, or null when it throws none.
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
