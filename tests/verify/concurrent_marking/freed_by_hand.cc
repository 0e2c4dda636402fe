// While objects are marked, the program moves the only reference out of a large object, frees that by hand
// and allocates: markers may still look at the object, whose memory nobody else gets, and what the reference
// leads to is marked in the end.
#include <array>
#include <cstdint>

#include "tests/verify/concurrent_marking/program.h"

namespace {

using verify::object_at;
using Words = std::uintptr_t*;

struct Graph {
  verify::Program& program;
  Words from;  // as large ones are, though short
  Words to;
};

void* move_and_free(void* argument) {
  const auto [program, from, to] = *static_cast<Graph*>(argument);
  verify::store(to, verify::load(from));
  program.free_large(from);
  return nullptr;
}

}  // namespace

int main() {
  // Not destroyed: that is no part of it.
  auto& program = *new verify::Program;
  Graph graph{program, program.allocate_large(1024), program.allocate(16)};
  Words const moved = program.allocate(32);
  *graph.from = reinterpret_cast<std::uintptr_t>(moved);
  const std::array roots{object_at(graph.from), object_at(graph.to)};
  program.start_cycle(roots);
  const verify::Thread thread = verify::start(move_and_free, &graph);
  verify::join(thread);
  const jackdaw::heap::Chunk& chunk = *jackdaw::heap::Chunk::of(graph.from);
  CHECK(chunk.block(chunk.block_index(reinterpret_cast<std::byte*>(graph.from))).is_freed);
  const std::array left{object_at(graph.to)};
  program.end_marking(left);
  CHECK(verify::is_marked(graph.to));
  CHECK(verify::is_marked(moved));
  program.end();
  return 0;
}
