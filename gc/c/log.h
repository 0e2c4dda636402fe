// Log: the library's messages for the people who run a program, and how it ends one.
//
// Straight to a file descriptor: a stopped thread may hold the lock of a stream.
#pragma once

#include "gc/c/interface.h"

namespace jackdaw::c_interface {

/// Writes a line, formatted as by printf and cut after some hundred bytes, to the log. Any thread, at any
/// time.
[[gnu::format(printf, 1, 2)]] void log_line(const char* format, ...);
/// Gives the program's warning function a format and the one word that it prints.
void warn(const char* format, GC_word argument);
/// Ends the program with a message, which the program's abort function gets first.
[[noreturn]] void abort_program(const char* message);
/// The abort function that there is at first: writes the message, if it is not null, to the error output.
void write_message(const char* message);

}  // namespace jackdaw::c_interface
