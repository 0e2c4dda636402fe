// While objects are marked, the program takes a block, whose granules count as marked, and moves the only
// reference to an object into one that it allocates there and keeps on its stack: what it leads to is marked
// in the end, whether the block came before its chunk's marks were cleared or after.
#include <array>
#include <cstdint>

#include "tests/verify/concurrent_marking/program.h"

namespace {

using verify::object_at;
using Words = std::uintptr_t*;

struct Graph {
  verify::Program& program;
  Words from;
};

void* move(void* argument) {
  const auto [program, from] = *static_cast<Graph*>(argument);
  Words const to = program.allocate(1024);
  if (to == nullptr) return nullptr;  // the marking has ended, and the pause is due
  verify::store(to, verify::load(from));
  verify::store(from, 0);
  return to;
}

}  // namespace

int main() {
  // Not destroyed: that is no part of it.
  auto& program = *new verify::Program;
  Graph graph{program, program.allocate(16)};
  Words const moved = program.allocate(32);
  *graph.from = reinterpret_cast<std::uintptr_t>(moved);
  const std::array roots{object_at(graph.from)};
  program.start_cycle(roots);
  const verify::Thread thread = verify::start(move, &graph);
  const std::array stack{object_at(graph.from),
                         reinterpret_cast<jackdaw::heap::Object*>(verify::join(thread))};
  program.end_marking(stack);
  CHECK(verify::is_marked(graph.from));
  CHECK(stack[1] == nullptr || jackdaw::heap::Chunk::of(stack[1])->is_marked(stack[1]));
  CHECK(verify::is_marked(moved));
  program.end();
  return 0;
}
