#include "bench/heap/heap_graph.h"

#include <fmt/format.h>

#include <future>
#include <numeric>

#include "gc/runtime/mutator.h"
#include "machine/topology.h"
#include "tools/command/input_error.h"
#include "tools/command/progress.h"
#include "tools/graph/numbers.h"

namespace jackdaw::bench {

namespace {

using Layout = tools::NodeType::Layout;

heap::TypeDescriptor describe(const tools::NodeType& type) {
  switch (type.layout) {
    case Layout::array:
      return heap::TypeDescriptor::reference_array();
    case Layout::record: {
      std::vector<std::uint32_t> words(type.references);
      std::iota(words.begin(), words.end(), 1);
      return heap::TypeDescriptor::offsets(0, std::move(words));
    }
    case Layout::data:
      break;
  }
  return heap::TypeDescriptor::none(0);
}

}  // namespace

HeapGraph::HeapGraph(const tools::Graph& graph, gc::Collector& collector) : collector_(collector) {
  describe_types(graph);
  const std::vector<heap::Object*> objects = allocate_nodes(graph);
  fill_slots(graph, objects);
  roots_.reserve(graph.roots.size());
  for (const tools::NodeId root : graph.roots) roots_.push_back(objects[root]);
  collector_.add_roots(roots_);
}

HeapGraph::~HeapGraph() { collector_.remove_roots(roots_); }

void HeapGraph::describe_types(const tools::Graph& graph) {
  types_.reserve(graph.types.size());
  for (const tools::NodeType& type : graph.types) types_.push_back(describe(type));
}

// Memory nodes are filled one after the other, so that each always holds the same objects.
std::vector<heap::Object*> HeapGraph::allocate_nodes(const tools::Graph& graph) {
  tools::Progress progress("building the heap");
  std::vector<heap::Object*> objects(graph.node_count);
  const std::uint64_t shares = collector_.heap().nodes().count();
  if (shares == 1) {
    allocate_from_to(graph, 0, graph.node_count, objects, progress);
    return objects;
  }
  for (std::uint32_t node = 0; node < shares; ++node) {
    std::async(std::launch::async, [&] {
      // If the system refuses, the objects lie elsewhere.
      machine::Topology::machine().bind_this_thread_to_node(node);
      allocate_from_to(graph, graph.node_count * node / shares, graph.node_count * (node + 1) / shares,
                       objects, progress);
    }).get();
  }
  return objects;
}

void HeapGraph::allocate_from_to(const tools::Graph& graph, std::uint64_t first, std::uint64_t end,
                                 std::vector<heap::Object*>& objects, tools::Progress& progress) {
  gc::Mutator mutator(collector_);
  for (std::uint64_t position = first; position < end; ++position) {
    const tools::NodeId node = graph.allocated_at(position);
    heap::Object* const object = mutator.allocate(types_[graph.type_id_of(node)], graph.bytes_of(node));
    if (object == nullptr) {
      throw tools::InputError(
          fmt::format("graph '{}': the heap ran out of memory after {} of {} objects; take a smaller graph",
                      graph.name, position, graph.node_count));
    }
    if (graph.type_of(node).layout == Layout::array) object->set_array_length(graph.slots_of(node).size());
    objects[node] = object;
    progress.update(position, graph.node_count);
  }
}

void HeapGraph::fill_slots(const tools::Graph& graph, const std::vector<heap::Object*>& objects) {
  tools::Progress progress("linking the objects");
  for (tools::NodeId node = 0; node < graph.node_count; ++node) {
    std::size_t word = graph.first_slot_word(graph.type_of(node).layout);
    for (const tools::NodeId target : graph.slots_of(node)) {
      *objects[node]->slot(word++) = target == tools::kNullNode ? nullptr : objects[target];
    }
    fill_with_numbers(graph, node, reinterpret_cast<std::uint64_t*>(objects[node]));
    progress.update(node, graph.node_count);
  }
}

}  // namespace jackdaw::bench
