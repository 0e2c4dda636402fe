#include "bench/baseline/boehm.h"

// With the thread functions, but without replacing pthread_create: our threads are none of libgc's business.
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <fmt/format.h>
#include <gc.h>

#include "bench/input_error.h"
#include "bench/progress.h"

namespace jackdaw::bench {

namespace {

using Layout = NodeType::Layout;

// Above this size libgc's documentation asks for the allocation that only pointers to the start keep alive.
constexpr std::uint64_t kIgnoreOffPageBytes = 100 * 1024;

void* allocate(std::uint64_t bytes, Layout layout) {
  if (layout == Layout::data) {
    return bytes > kIgnoreOffPageBytes ? GC_MALLOC_ATOMIC_IGNORE_OFF_PAGE(bytes) : GC_MALLOC_ATOMIC(bytes);
  }
  return bytes > kIgnoreOffPageBytes ? GC_MALLOC_IGNORE_OFF_PAGE(bytes) : GC_MALLOC(bytes);
}

void start_libgc(unsigned markers) {
  GC_set_markers_count(markers);
  GC_set_no_dls(1);
  GC_INIT();
  GC_start_mark_threads();  // which otherwise start with the program's first thread
  GC_clear_roots();
  GC_set_warn_proc(GC_ignore_warn_proc);
}

std::vector<void**> allocate_nodes(const Graph& graph) {
  Progress progress("building Boehm GC's heap");
  std::vector<void**> objects(graph.node_count);
  for (std::uint64_t position = 0; position < graph.node_count; ++position) {
    const NodeId node = graph.allocated_at(position);
    void* const object = allocate(graph.bytes_of(node), graph.type_of(node).layout);
    if (object == nullptr) {
      throw InputError(
          fmt::format("graph '{}': Boehm GC ran out of memory after {} of {} objects; take a smaller graph",
                      graph.name, position, graph.node_count));
    }
    objects[node] = static_cast<void**>(object);
    progress.update(position, graph.node_count);
  }
  return objects;
}

// Words 0 and, in arrays, 1 stand for our header and length: small numbers, which libgc takes for no
// pointers.
void fill_node(const Graph& graph, NodeId node, const std::vector<void**>& objects) {
  const Layout layout = graph.type_of(node).layout;
  const auto slots = graph.slots_of(node);
  std::size_t word = 0;
  const auto set_number = [&](std::uint64_t number) {
    *reinterpret_cast<std::uint64_t*>(objects[node] + word++) = number;
  };
  set_number(graph.type_id_of(node));
  if (layout == Layout::array) set_number(slots.size());
  for (const NodeId target : slots) objects[node][word++] = target == kNullNode ? nullptr : objects[target];
}

}  // namespace

BoehmHeap::BoehmHeap(const Graph& graph, unsigned markers) {
  start_libgc(markers);
  GC_disable();  // the objects hang from nothing until the graph is whole
  const std::vector<void**> objects = allocate_nodes(graph);
  for (NodeId node = 0; node < graph.node_count; ++node) fill_node(graph, node, objects);
  roots_ = static_cast<void**>(GC_MALLOC_UNCOLLECTABLE((graph.roots.size() + 1) * sizeof(void*)));
  if (roots_ == nullptr)
    throw InputError(fmt::format("graph '{}': Boehm GC ran out of memory for its roots", graph.name));
  for (std::size_t i = 0; i < graph.roots.size(); ++i) roots_[i] = objects[graph.roots[i]];
  GC_enable();
}

std::uint32_t BoehmHeap::threads() const { return static_cast<std::uint32_t>(GC_get_parallel()) + 1; }

std::chrono::nanoseconds BoehmHeap::run() {
  const auto start = std::chrono::steady_clock::now();
  GC_gcollect();
  return std::chrono::steady_clock::now() - start;
}

}  // namespace jackdaw::bench
