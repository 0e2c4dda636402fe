// The one question that sweeps, corpora and fuzzers ask of each reader of files.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "tests/tools/graph/graph_invariants.h"
#include "tests/tools/graph/memory_file.h"
#include "tools/command/input_error.h"
#include "tools/graph/dump_graph.h"
#include "tools/graph/edge_list.h"
#include "tools/graph/hprof.h"
#include "tools/graph/matrix_market.h"
#include "tools/graph/v8_snapshot.h"

namespace jackdaw::tools {

/// The result of reading some bytes.
struct ReadOutcome {
  bool accepted = false;
  std::string message;  ///< of the InputError when not accepted
  std::string defect;   ///< what the reader did wrong, or ""
};

/// The memory that a reader is given.
inline constexpr std::uint64_t kReaderMemoryBytes = std::uint64_t{64} << 20;

/// Lets `read` make a graph of `bytes`. Whatever they are, it must either make one whose invariants hold or
/// refuse with one line.
template <typename Read>
[[nodiscard]] ReadOutcome check_reader(std::span<const std::uint8_t> bytes, const Read& read) {
  ReadOutcome outcome;
  try {
    ByteSource source = source_of(bytes);
    const Graph graph = read(source);
    outcome.accepted = true;
    outcome.defect = broken_invariant(graph);
    if (graph.node_count == 0) outcome.defect = "a graph without nodes";
  } catch (const InputError& error) {
    outcome.message = error.what();
    if (!outcome.message.starts_with("dump: ")) outcome.defect = "a message without the file's name";
    if (outcome.message.find('\n') != std::string::npos) outcome.defect = "a message of several lines";
  } catch (const std::logic_error& error) {
    outcome.defect = error.what();
  }
  return outcome;
}

[[nodiscard]] inline ReadOutcome check_dump(std::span<const std::uint8_t> bytes) {
  return check_reader(bytes, [](ByteSource& source) {
    return read_heap_dump(source, {.headers = false, .memory_limit_bytes = kReaderMemoryBytes});
  });
}

[[nodiscard]] inline ReadOutcome check_hprof(std::span<const std::uint8_t> bytes) {
  return check_reader(bytes, [](ByteSource& source) {
    HprofGraph dump = read_hprof(source, {.memory_limit_bytes = kReaderMemoryBytes});
    if (dump.graph.roots.size() + dump.dangling_root_records != dump.root_records)
      throw std::logic_error("roots got lost");
    return std::move(dump.graph);
  });
}

[[nodiscard]] inline ReadOutcome check_v8(std::span<const std::uint8_t> bytes) {
  return check_reader(bytes, [](ByteSource& source) {
    return read_v8_snapshot(source, {.memory_limit_bytes = kReaderMemoryBytes});
  });
}

[[nodiscard]] inline ReadOutcome check_edges(std::span<const std::uint8_t> bytes) {
  return check_reader(bytes, [](ByteSource& source) {
    return read_edge_list(source, {.memory_limit_bytes = kReaderMemoryBytes});
  });
}

[[nodiscard]] inline ReadOutcome check_mtx(std::span<const std::uint8_t> bytes) {
  return check_reader(bytes, [](ByteSource& source) {
    return read_matrix_market(source, {.memory_limit_bytes = kReaderMemoryBytes});
  });
}

}  // namespace jackdaw::tools
