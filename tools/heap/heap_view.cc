#include "tools/heap/heap_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tools/graph/graph_names.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::tools {

namespace {

constexpr std::string_view kDump = "dump:";

}  // namespace

HeapView::HeapView(const std::string& spec, const GraphOptions& options) : is_dump_(spec.starts_with(kDump)) {
  if (is_dump_) {
    heap_ = read_dumped_heap(spec.substr(kDump.size()), options);
    symbols_.emplace(heap_.files, heap_.program.path);
  } else {
    heap_.graph = make_graph(spec, options);
  }
  heap_.graph.name = spec;
  flatten();
}

void HeapView::flatten() {
  const Graph& graph = heap_.graph;
  flat_.begin.reserve(2 + root_count() + graph.node_count);
  flat_.successors.reserve(2 * graph.roots.size() + graph.slots.size());
  for (std::uint32_t root = 0; root < root_count(); ++root) flat_.successors.push_back(node_of_root(root));
  flat_.end_node();
  for (const NodeId target : graph.roots) {
    flat_.successors.push_back(node_of(target));
    flat_.end_node();
  }
  for (NodeId node = 0; node < graph.node_count; ++node) {
    for (const NodeId target : graph.slots_of(node)) {
      if (target != kNullNode) flat_.successors.push_back(node_of(target));
    }
    flat_.end_node();
  }
}

std::string HeapView::describe(NodeId object) const {
  const Graph& graph = heap_.graph;
  std::uint64_t identifier = object;
  if (is_dump_) {
    identifier = heap_.addresses[object];
  } else if (!graph.identifiers.empty()) {
    identifier = graph.identifiers[object];
  }
  const bool is_hexadecimal = is_dump_ || graph.has_hexadecimal_identifiers;
  const std::string name =
      is_hexadecimal ? fmt::format("{:#x}", identifier) : fmt::format("object {}", identifier);
  const std::string own = graph.names == nullptr ? "" : graph.names->of_object(graph, object);
  return fmt::format("{} ({} bytes, {})", name, graph.bytes_of(object),
                     own.empty() ? graph.type_of(object).name : own);
}

std::vector<std::string> HeapView::calls_that_allocated(NodeId object) const {
  std::vector<std::string> calls;
  const auto sample = heap_.samples.find(object);
  if (sample == heap_.samples.end()) return calls;
  for (const std::uint64_t address : heap_.allocating_calls[sample->second]) {
    if (!calls.empty() || !is_of_collector(symbols_->symbol_at(address), symbols_->file_at(address)))
      calls.push_back(symbols_->call_at(address));
  }
  return calls;
}

std::string HeapView::name_of_reference(NodeId from, NodeId to) const {
  const auto slots = graph().slots_of(from);
  const auto slot = std::ranges::find(slots, to);
  if (graph().names == nullptr || slot == slots.end()) return "";
  return graph().names->of_slot(graph(), from, static_cast<std::size_t>(slot - slots.begin()));
}

bool HeapView::is_certain_root(std::uint32_t root) const {
  if (!is_dump_) return true;
  const DumpedRootPlace& place = heap_.root_places[root];
  return !place.where || *place.where == gc::DumpRoots::persistent ||
         *place.where == gc::DumpRoots::finalization;
}

std::string HeapView::group_of_root(std::uint32_t root) const {
  if (graph().names != nullptr) return graph().names->group_of_root(root);
  if (!is_dump_) return "roots";
  const DumpedRootPlace& place = heap_.root_places[root];
  if (!place.where) return "objects that no collection frees";
  switch (*place.where) {
    case gc::DumpRoots::stack:
      return place.thread == 0 ? "idle registered stacks" : fmt::format("stack of thread {}", place.thread);
    case gc::DumpRoots::thread_locals:
      return fmt::format("thread-local variables of thread {}", place.thread);
    case gc::DumpRoots::static_data: {
      const std::string file = symbols_->file_at(place.place);
      return file.empty() ? "added ranges" : "static data of " + file;
    }
    case gc::DumpRoots::pushed:
      return "pushed by the program";
    case gc::DumpRoots::persistent:
      return "persistent handles";
    case gc::DumpRoots::finalization:
      return "finalization";
  }
  __builtin_unreachable();
}

std::map<std::string, std::vector<std::uint32_t>> HeapView::roots_by_group() const {
  std::map<std::string, std::vector<std::uint32_t>> groups;
  for (std::uint32_t root = 0; root < root_count(); ++root) groups[group_of_root(root)].push_back(root);
  return groups;
}

// Returns the function to which the nearest return address below leads. Words that earlier calls left behind
// may look like one.
std::string HeapView::function_of_root(std::uint32_t root) const {
  const DumpedRootPlace& place = heap_.root_places[root];
  const auto calls = heap_.calls.find(place.thread);
  if (calls == heap_.calls.end()) return "";
  const auto above = std::ranges::upper_bound(calls->second, place.place, {}, &DumpedCall::place);
  if (above == calls->second.begin()) return "";
  // The instruction behind the call may belong to another function.
  return symbols_->name_at(std::prev(above)->return_address - 1);
}

std::string HeapView::locate_root(std::uint32_t root) const {
  if (graph().names != nullptr) return graph().names->place_of_root(graph(), root);
  if (!is_dump_ || !heap_.root_places[root].where) return fmt::format("number {}", root);
  const DumpedRootPlace& place = heap_.root_places[root];
  std::string text;
  if (*place.where == gc::DumpRoots::stack) {
    text = fmt::format("{} bytes below its end", place.stack_end - place.place);
    if (const std::string function = function_of_root(root); !function.empty())
      text += ", in the frame of " + function;
  } else if (*place.where == gc::DumpRoots::static_data) {
    text = symbols_->name_at(place.place);
  } else if (*place.where == gc::DumpRoots::persistent) {
    if (const std::string name = symbols_->name_at(place.place - 1); !name.empty()) text = "made in " + name;
  }
  if (place.place != 0)
    text =
        text.empty() ? fmt::format("at {:#x}", place.place) : fmt::format("{} (at {:#x})", text, place.place);
  if (place.interior != 0)
    text += fmt::format("{}leading {} bytes into it", text.empty() ? "" : ", ", place.interior);
  return text;
}

std::string HeapView::describe_root(std::uint32_t root) const {
  const bool is_uncollectable = is_dump_ && !heap_.root_places[root].where;
  const std::string place = is_uncollectable ? "" : locate_root(root);
  return group_of_root(root) + ", " + (place.empty() ? describe(graph().roots[root]) : place);
}

}  // namespace jackdaw::tools
