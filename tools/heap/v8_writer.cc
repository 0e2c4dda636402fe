#include "tools/heap/v8_writer.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace jackdaw::tools {

namespace {

using Json = nlohmann::ordered_json;

// Fields and types of Node 20; the numbers of types are places in these lists.
constexpr const char* kMeta = R"({
  "node_fields": ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"],
  "node_types": [["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native",
    "synthetic", "concatenated string", "sliced string", "symbol", "bigint", "object shape"],
    "string", "number", "number", "number", "number", "number"],
  "edge_fields": ["type", "name_or_index", "to_node"],
  "edge_types": [["context", "element", "property", "internal", "hidden", "shortcut", "weak"],
    "string_or_number", "node"],
  "trace_function_info_fields": [], "trace_node_fields": [], "sample_fields": [], "location_fields": []
})";
constexpr std::uint64_t kNodeFields = 7;

enum class NodeKind { object = 3, native = 8, synthetic = 9 };
enum class EdgeKind { element = 1, property = 2, internal = 3, hidden = 4 };

class V8Writer {
 public:
  V8Writer(const HeapView& view, OutputFile& out)
      : view_(view), out_(out), groups_(view.roots_by_group()), first_object_(2 + groups_.size()) {
    number_objects();
  }

  void write() {
    const Json snapshot{{"meta", Json::parse(kMeta)},
                        {"node_count", next_node_},
                        {"edge_count", 1 + groups_.size() + view_.root_count() + references_},
                        {"trace_function_count", 0}};
    out_.write("{\"snapshot\":" + snapshot.dump() + ",\n");
    write_nodes();
    write_edges();
    out_.write("\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],\"locations\":[],\n");
    write_strings();
  }

 private:
  template <class Visit>
  void for_each_object(Visit&& visit) const {
    for (NodeId object = 0; object < view_.graph().node_count; ++object) {
      if (view_.is_live(object)) visit(object);
    }
  }

  void number_objects() {
    next_node_ = first_object_;
    node_of_.resize(view_.graph().node_count);
    for_each_object([&](NodeId object) {
      node_of_[object] = next_node_++;
      references_ += count_references(object);
    });
  }

  [[nodiscard]] std::uint64_t count_references(NodeId object) const {
    std::uint64_t count = 0;
    view_.for_each_reference(object, [&](std::size_t, NodeId) { ++count; });
    return count;
  }

  // Strings are numbered: the empty one and "(GC roots)", groups, types, the roots' places.
  [[nodiscard]] std::uint64_t name_of_type(TypeId type) const { return 2 + groups_.size() + type; }
  [[nodiscard]] std::uint64_t first_place() const {
    return name_of_type(static_cast<TypeId>(view_.graph().types.size()));
  }

  void write_nodes() {
    begin_list("nodes");
    add_node(NodeKind::synthetic, 0, 0, 1);
    add_node(NodeKind::synthetic, 1, 0, groups_.size());
    std::uint64_t name = 2;
    for (const auto& entry : groups_) add_node(NodeKind::synthetic, name++, 0, entry.second.size());
    for_each_object([&](NodeId object) {
      const bool is_data = view_.graph().type_of(object).layout == NodeType::Layout::data;
      add_node(is_data ? NodeKind::native : NodeKind::object, name_of_type(view_.graph().type_id_of(object)),
               view_.graph().bytes_of(object), count_references(object));
    });
    out_.write("],\n");
  }

  // Identifiers of objects are odd in V8's snapshots.
  void add_node(NodeKind kind, std::uint64_t name, std::uint64_t bytes, std::uint64_t edges) {
    add_item(fmt::format("{},{},{},{},{},0,0", static_cast<int>(kind), name, 2 * written_ + 1, bytes, edges));
  }

  void write_edges() {
    begin_list("edges");
    add_edge(EdgeKind::element, 0, 1);
    for (std::size_t group = 0; group < groups_.size(); ++group)
      add_edge(EdgeKind::element, group, 2 + group);
    std::uint64_t place = first_place();
    for (const auto& entry : groups_) {
      for (const std::uint32_t root : entry.second)
        add_edge(view_.is_certain_root(root) ? EdgeKind::property : EdgeKind::internal, place++,
                 node_of_[view_.graph().roots[root]]);
    }
    for_each_object([&](NodeId object) {
      const EdgeKind kind = view_.is_certain(object) ? EdgeKind::element : EdgeKind::hidden;
      view_.for_each_reference(
          object, [&](std::size_t slot, NodeId target) { add_edge(kind, slot, node_of_[target]); });
    });
    out_.write("],\n");
  }

  void add_edge(EdgeKind kind, std::uint64_t name, std::uint64_t node) {
    add_item(fmt::format("{},{},{}", static_cast<int>(kind), name, node * kNodeFields));
  }

  void write_strings() {
    begin_list("strings");
    add_string("");
    add_string("(GC roots)");
    for (const auto& entry : groups_) add_string("(" + entry.first + ")");
    for (const NodeType& type : view_.graph().types) add_string(type.name);
    for (const auto& entry : groups_) {
      for (const std::uint32_t root : entry.second) add_string(view_.locate_root(root));
    }
    out_.write("]}\n");
  }

  void add_string(const std::string& text) {
    add_item(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  void begin_list(const std::string& name) {
    out_.write("\"" + name + "\":[");
    written_ = 0;
  }

  void add_item(const std::string& item) {
    if (written_++ != 0) out_.write(",\n");
    out_.write(item);
  }

  const HeapView& view_;
  OutputFile& out_;
  const std::map<std::string, std::vector<std::uint32_t>> groups_;
  const std::uint64_t first_object_;  // its node
  std::uint64_t next_node_ = 0;
  std::vector<std::uint64_t> node_of_;  // by object
  std::uint64_t references_ = 0;
  std::uint64_t written_ = 0;  // of the present list
};

}  // namespace

void write_v8_snapshot(const HeapView& view, OutputFile& out) { V8Writer(view, out).write(); }

}  // namespace jackdaw::tools
