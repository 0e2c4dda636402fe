// The one question that the sweeps, the corpus and the fuzzer ask of the HPROF reader.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bench/command/input_error.h"
#include "bench/graph/hprof.h"
#include "tests/bench/graph/graph_invariants.h"
#include "tests/bench/graph/memory_file.h"

namespace jackdaw::bench {

/// The result of reading some bytes.
struct HprofOutcome {
  bool accepted = false;
  std::string message;  ///< of the InputError when not accepted
  std::string defect;   ///< what the reader did wrong, or ""
};

/// Reads `bytes` as a heap dump with little memory. Whatever they are, the reader must either make a graph
/// whose invariants hold or refuse with one line.
[[nodiscard]] inline HprofOutcome check_hprof(std::span<const std::uint8_t> bytes) {
  HprofOutcome outcome;
  try {
    ByteSource source = source_of(bytes);
    const HprofGraph dump = read_hprof(source, {.memory_limit_bytes = std::uint64_t{64} << 20});
    outcome.accepted = true;
    outcome.defect = broken_invariant(dump.graph);
    if (dump.graph.node_count == 0) outcome.defect = "a graph without nodes";
    if (dump.graph.roots.size() + dump.dangling_root_records != dump.root_records)
      outcome.defect = "roots got lost";
  } catch (const InputError& error) {
    outcome.message = error.what();
    if (!outcome.message.starts_with("dump: ")) outcome.defect = "a message without the file's name";
    if (outcome.message.find('\n') != std::string::npos) outcome.defect = "a message of several lines";
  }
  return outcome;
}

}  // namespace jackdaw::bench
