#include "gc/c/log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "gc/c/settings.h"

namespace jackdaw::c_interface {

namespace {

constexpr std::size_t kLineBytes = 512;

// What cannot be written cannot be reported either.
void write_line(int descriptor, std::array<char, kLineBytes>& line, int length) {
  if (length < 0) return;
  const std::size_t bytes = std::min(static_cast<std::size_t>(length), kLineBytes - 2);
  line[bytes] = '\n';
  if (write(descriptor, line.data(), bytes + 1) < 0) return;
}

}  // namespace

void log_line(const char* format, ...) {
  std::array<char, kLineBytes> line;
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  write_line(settings.log_descriptor, line, length);
}

void warn(const char* format, GC_word argument) {
  if (settings.warn_proc != nullptr) {
    // The interface's type is older than const.
    settings.warn_proc(const_cast<char*>(format), argument);
  } else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    log_line(format, argument);
#pragma GCC diagnostic pop
  }
}

void abort_program(const char* message) {
  if (settings.abort_func != nullptr) {
    settings.abort_func(message);
  } else {
    std::array<char, kLineBytes> line;
    write_line(STDERR_FILENO, line, std::snprintf(line.data(), line.size(), "jackdaw: %s", message));
  }
  std::abort();
}

}  // namespace jackdaw::c_interface
