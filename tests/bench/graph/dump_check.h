// The one question that the sweeps and the fuzzer ask of the reader of Jackdaw's heap dumps.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bench/command/input_error.h"
#include "bench/graph/dump_graph.h"
#include "tests/bench/graph/graph_invariants.h"
#include "tests/bench/graph/memory_file.h"

namespace jackdaw::bench {

struct DumpOutcome {
  bool accepted = false;
  std::string message;  ///< of the InputError when not accepted
  std::string defect;   ///< what the reader did wrong, or ""
};

/// Reads `bytes` with little memory. Whatever they are, the reader must either make a graph whose invariants
/// hold or refuse with one line.
[[nodiscard]] inline DumpOutcome check_dump(std::span<const std::uint8_t> bytes) {
  DumpOutcome outcome;
  try {
    ByteSource source = source_of(bytes);
    const Graph graph =
        read_heap_dump(source, {.headers = false, .memory_limit_bytes = std::uint64_t{64} << 20});
    outcome.accepted = true;
    outcome.defect = broken_invariant(graph);
    if (graph.node_count == 0) outcome.defect = "a graph without nodes";
  } catch (const InputError& error) {
    outcome.message = error.what();
    if (!outcome.message.starts_with("dump: ")) outcome.defect = "a message without the file's name";
    if (outcome.message.find('\n') != std::string::npos) outcome.defect = "a message of several lines";
  }
  return outcome;
}

}  // namespace jackdaw::bench
