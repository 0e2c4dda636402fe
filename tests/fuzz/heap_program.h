// HeapProgram: a program for the collector that bytes spell, and its run beside a model of it.
#pragma once

#include <cstdint>
#include <span>

namespace jackdaw::fuzz {

/// Starts the process's collector, for such programs. Once, on the main thread.
void start_collector();

/// Runs the program: each of the bytes says what to do, or to what. Ends the process with one line on the
/// error output when the collector and the model do not agree.
void run_heap_program(std::span<const std::uint8_t> bytes);

}  // namespace jackdaw::fuzz
