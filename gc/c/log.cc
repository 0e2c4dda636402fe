#include "gc/c/log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "base/cancellation.h"
#include "gc/c/settings.h"
#include "gc/c/undeclared.h"

namespace jackdaw::c_interface {

namespace {

constexpr std::size_t kLineBytes = 512;

// A line that cannot be written is dropped: the failure cannot be reported either.
void write_line(int descriptor, std::array<char, kLineBytes>& line, int length) {
  if (length < 0) return;
  const std::size_t bytes = std::min(static_cast<std::size_t>(length), kLineBytes - 2);
  line[bytes] = '\n';
  if (write(descriptor, line.data(), bytes + 1) < 0) return;
}

using Clock = std::chrono::steady_clock;

// Waits until the descriptor may take more; false at the deadline. A signal ends the wait early.
bool await_room(int descriptor, Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  if (left <= left.zero()) return false;
  pollfd room{descriptor, POLLOUT, 0};
  return poll(&room, 1, static_cast<int>(left.count())) != 0;
}

// Whether the last text was cut off because its reader did not read.
std::atomic<bool> is_unread{false};

// Text beyond kBytes is cut off, and so is text that a non-blocking descriptor does not take within this
// time: its reader may be a thread that is stopped. Later text then does not wait until some was written.
// Relaxed, all accesses to is_unread: a hint.
void write_formatted(int descriptor, const char* format, std::va_list arguments) {
  constexpr std::size_t kBytes = 1024;
  constexpr std::chrono::seconds kPatience{1};
  std::array<char, kBytes> text;
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  const base::CancellationDisabled guard;
  const char* from = text.data();
  std::size_t left = length < 0 ? 0 : std::min(static_cast<std::size_t>(length), kBytes - 1);
  Clock::time_point deadline =
      Clock::now() + (is_unread.load(std::memory_order_relaxed) ? kPatience.zero() : kPatience);
  while (left > 0) {
    const ssize_t written = write(descriptor, from, left);
    if (written < 0) {
      if (errno == EINTR || (errno == EAGAIN && await_room(descriptor, deadline))) continue;
      is_unread.store(errno == EAGAIN, std::memory_order_relaxed);
      return;
    }
    is_unread.store(false, std::memory_order_relaxed);
    deadline = Clock::now() + kPatience;
    from += written;
    left -= static_cast<std::size_t>(written);
  }
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
    // The interface's type has no const.
    settings.warn_proc(const_cast<char*>(format), argument);
  } else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    log_line(format, argument);
#pragma GCC diagnostic pop
  }
}

void abort_program(const char* message) {
  GC_on_abort(message);
  std::abort();
}

void write_message(const char* message) {
  if (message != nullptr) GC_err_printf("jackdaw: %s\n", message);
}

#pragma GCC visibility push(default)
extern "C" {

GC_abort_func GC_on_abort = write_message;

void GC_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  write_formatted(STDOUT_FILENO, format, arguments);
  va_end(arguments);
}

void GC_err_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  write_formatted(STDERR_FILENO, format, arguments);
  va_end(arguments);
}

void GC_log_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  write_formatted(settings.log_descriptor, format, arguments);
  va_end(arguments);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
