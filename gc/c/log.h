// Log: the library's messages for those who run a program, and its way to end one.
//
// Messages go straight to a file descriptor, since a stopped thread may hold a stream's lock.
#pragma once

#include "gc/c/interface.h"

namespace jackdaw::c_interface {

/// Writes a line to the log, formatted as by printf and cut after some hundred bytes. Any thread, at any
/// time.
[[gnu::format(printf, 1, 2)]] void log_line(const char* format, ...);
/// Calls the program's warning function with a format and the one word that it prints.
void warn(const char* format, GC_word argument);
/// Ends the program with a message, which the program's abort function gets first.
[[noreturn]] void abort_program(const char* message);
/// Writes the message, if it is not null, to the error output. This is the default abort function.
void write_message(const char* message);

}  // namespace jackdaw::c_interface
