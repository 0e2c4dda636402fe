#include "tools/graph/footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tools/command/input_error.h"
#include "tools/command/memory_limit.h"
#include "tools/command/saturating.h"

namespace jackdaw::tools {

std::uint64_t heap_bytes(const Graph& graph) {
  if (graph.node_bytes.empty()) return saturating_multiply(graph.node_count, graph.uniform_bytes);
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : graph.node_bytes) sum = saturating_add(sum, bytes);
  return sum;
}

std::uint64_t description_bytes(const Graph& graph) {
  const auto bytes_of = []<class Element>(const std::vector<Element>& vector) {
    return vector.size() * sizeof(Element);
  };
  return bytes_of(graph.slot_begin) + bytes_of(graph.slots) + bytes_of(graph.types) +
         bytes_of(graph.node_types) + bytes_of(graph.node_bytes) + bytes_of(graph.roots) +
         bytes_of(graph.allocation_order);
}

void require_memory(const std::string& subject, std::uint64_t description_bytes, std::uint64_t heap_bytes,
                    unsigned heap_copies, std::uint64_t memory_limit_bytes) {
  const std::uint64_t heaps = saturating_multiply(heap_bytes, heap_copies);
  const std::uint64_t needed = saturating_add(description_bytes, heaps);
  if (needed <= memory_limit_bytes) return;
  const std::string parts = heap_copies == 0 ? ""
                                             : fmt::format(" ({} to describe it and {} x {} of heap)",
                                                           describe_bytes(description_bytes), heap_copies,
                                                           describe_bytes(heap_bytes));
  throw InputError(fmt::format("{}: needs {} of memory{}, but only {} is available", subject,
                               describe_bytes(needed), parts, describe_bytes(memory_limit_bytes)));
}

void require_memory_so_far(const ByteSource& source, std::uint64_t table_bytes, std::uint64_t heap_bytes,
                           unsigned heap_copies, std::uint64_t memory_limit_bytes) {
  if (heap_bytes == std::numeric_limits<std::uint64_t>::max())
    source.fail(source.offset(), "the objects so far have 2^64 bytes or more; must have fewer");
  const std::uint64_t needed = std::max(table_bytes, saturating_multiply(heap_bytes, heap_copies));
  if (needed <= memory_limit_bytes) return;
  source.fail(source.offset(),
              fmt::format("what was read so far needs {} of memory, but only {} is available",
                          describe_bytes(needed), describe_bytes(memory_limit_bytes)));
}

}  // namespace jackdaw::tools
