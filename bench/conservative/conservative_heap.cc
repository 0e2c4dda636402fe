#include "bench/conservative/conservative_heap.h"

#include <fmt/format.h>

#include "gc/process/process_collector.h"
#include "heap/object.h"
#include "tools/command/input_error.h"
#include "tools/command/progress.h"
#include "tools/graph/numbers.h"

namespace jackdaw::bench {

namespace {

using Layout = tools::NodeType::Layout;

// Above this size libgc's documentation recommends allocation in which only pointers to the start keep an
// object.
constexpr std::uint64_t kIgnoreOffPageBytes = 100 * 1024;

void* allocate(const CollectorFunctions& collector, std::uint64_t bytes, Layout layout) {
  const bool is_big = bytes > kIgnoreOffPageBytes;
  if (layout == Layout::data) {
    return is_big ? collector.malloc_atomic_ignore_off_page(bytes) : collector.malloc_atomic(bytes);
  }
  return is_big ? collector.malloc_ignore_off_page(bytes) : collector.malloc(bytes);
}

void start(const CollectorFunctions& collector, const CollectorSetting& setting) {
  collector.set_markers_count(setting.markers);
  collector.set_no_dls(1);
  if (setting.displacements) collector.set_all_interior_pointers(0);
  collector.init();
  for (unsigned offset = 1; offset <= setting.displacements.value_or(0); ++offset)
    collector.register_displacement(offset);
  collector.start_mark_threads();  // they would start with the program's first thread
  collector.clear_roots();
  collector.set_warn_proc(collector.ignore_warn_proc);
}

heap::Object* as_object(void* address) { return static_cast<heap::Object*>(address); }

}  // namespace

ConservativeHeap::ConservativeHeap(const CollectorFunctions& collector, const CollectorSetting& setting,
                                   const tools::Graph& graph, const std::vector<bool>* is_reachable)
    : collector_(collector), displacements_(setting.displacements.value_or(0)) {
  start(collector_, setting);
  collector_.disable();  // objects are not reachable until the graph is complete
  const Objects objects = allocate_nodes(graph);
  tools::Progress progress(fmt::format("linking {}'s objects", collector_.name));
  for (tools::NodeId node = 0; node < graph.node_count; ++node) {
    fill_node(graph, node, objects);
    progress.update(node, graph.node_count);
  }
  roots_.reserve(graph.roots.size());
  for (const tools::NodeId root : graph.roots) roots_.push_back(reference_to(root, objects));
  collector_.add_roots(roots_.data(), roots_.data() + roots_.size());
  collector_.enable();
  if (is_reachable != nullptr) note_reachable(*is_reachable, objects);
}

ConservativeHeap::~ConservativeHeap() {
  collector_.remove_roots(roots_.data(), roots_.data() + roots_.size());
}

ConservativeHeap::Objects ConservativeHeap::allocate_nodes(const tools::Graph& graph) const {
  tools::Progress progress(fmt::format("building {}'s heap", collector_.name));
  Objects objects(graph.node_count);
  for (std::uint64_t position = 0; position < graph.node_count; ++position) {
    const tools::NodeId node = graph.allocated_at(position);
    void* const object = allocate(collector_, graph.bytes_of(node), graph.type_of(node).layout);
    if (object == nullptr) {
      throw tools::InputError(
          fmt::format("graph '{}': {} ran out of memory after {} of {} objects; take a smaller graph",
                      graph.name, collector_.name, position, graph.node_count));
    }
    objects[node] = static_cast<std::uint64_t*>(object);
    progress.update(position, graph.node_count);
  }
  return objects;
}

// Small numbers, which no collector takes for references, fill the words of the header and the length.
void ConservativeHeap::fill_node(const tools::Graph& graph, tools::NodeId node,
                                 const Objects& objects) const {
  const Layout layout = graph.type_of(node).layout;
  const auto slots = graph.slots_of(node);
  std::uint64_t* const words = objects[node];
  if (graph.has_headers) {
    words[0] = graph.type_id_of(node);
    if (layout == Layout::array) words[1] = slots.size();
  }
  std::size_t word = graph.first_slot_word(layout);
  for (const tools::NodeId target : slots)
    words[word++] = target == tools::kNullNode ? 0 : reference_to(target, objects);
  fill_with_numbers(graph, node, words);
}

std::uintptr_t ConservativeHeap::reference_to(tools::NodeId node, const Objects& objects) const {
  return reinterpret_cast<std::uintptr_t>(objects[node]) + node % (displacements_ + 1);
}

void ConservativeHeap::note_reachable(const std::vector<bool>& is_reachable, const Objects& objects) {
  for (std::size_t node = 0; node < objects.size(); ++node) {
    if (is_reachable[node] && reachable_.insert(as_object(objects[node]))) ++reachable_count_;
  }
}

std::uint32_t ConservativeHeap::threads() const {
  return static_cast<std::uint32_t>(collector_.get_parallel()) + 1;
}

const heap::BlockMap& ConservativeHeap::map() { return gc::ProcessCollector::instance().heap().map(); }

std::chrono::nanoseconds ConservativeHeap::collect() {
  const auto start = std::chrono::steady_clock::now();
  collector_.gcollect();
  return std::chrono::steady_clock::now() - start;
}

ConservativeHeap::Census ConservativeHeap::census() const {
  struct Count {
    const ConservativeHeap& heap;
    std::uint64_t marked = 0;
    std::uint64_t reachable = 0;

    static void GC_CALLBACK add(void* object, std::size_t, void* self) {
      auto& count = *static_cast<Count*>(self);
      ++count.marked;
      if (count.heap.reachable_.contains(as_object(object))) ++count.reachable;
    }
    static void* GC_CALLBACK run(void* self) {
      static_cast<Count*>(self)->heap.collector_.enumerate_reachable_objects_inner(add, self);
      return nullptr;
    }
  };
  Count count{*this};
  collector_.call_with_alloc_lock(Count::run, &count);
  return {reachable_count_, reachable_count_ - count.reachable, count.marked - count.reachable};
}

}  // namespace jackdaw::bench
