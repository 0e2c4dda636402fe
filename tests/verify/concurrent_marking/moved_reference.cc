// While objects are marked, the program moves the only reference to one from an object to another, which may
// have been visited, and has it nowhere but in a register meanwhile: what it leads to is marked in the end.
#include <array>
#include <cstdint>

#include "tests/verify/concurrent_marking/program.h"

namespace {

using verify::object_at;
using Words = std::uintptr_t*;

struct Graph {
  Words from;
  Words to;
};

void* move(void* argument) {
  const auto [from, to] = *static_cast<Graph*>(argument);
  const std::uintptr_t reference = verify::load(from);
  verify::store(from, 0);
  verify::store(to, reference);
  return nullptr;
}

}  // namespace

int main() {
  // Not destroyed: that is no part of it.
  auto& program = *new verify::Program;
  // The objects have different size classes, so that each is on a page of its own.
  Graph graph{program.allocate(16), program.allocate(32)};
  Words const moved = program.allocate(48);
  *graph.from = reinterpret_cast<std::uintptr_t>(moved);
  const std::array roots{object_at(graph.to), object_at(graph.from)};
  program.start_cycle(roots);
  const verify::Thread thread = verify::start(move, &graph);
  verify::join(thread);
  program.end_marking(roots);
  CHECK(verify::is_marked(graph.from));
  CHECK(verify::is_marked(graph.to));
  CHECK(verify::is_marked(moved));
  program.end();
  return 0;
}
