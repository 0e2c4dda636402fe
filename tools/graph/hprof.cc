#include "tools/graph/hprof.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tools/command/printable_name.h"
#include "tools/command/progress.h"
#include "tools/command/saturating.h"
#include "tools/graph/footprint.h"
#include "tools/graph/hprof_classes.h"
#include "tools/graph/hprof_names.h"
#include "tools/graph/hprof_records.h"
#include "tools/graph/hprof_thread_names.h"
#include "tools/graph/hprof_threads.h"
#include "tools/graph/hprof_types.h"
#include "tools/graph/identifier_index.h"

namespace jackdaw::tools {

namespace {

std::uint64_t array_bytes(std::uint64_t slots, std::uint64_t further_bytes) {
  return round_up_to_8(kArrayHeaderBytes + kReferenceBytes * slots + further_bytes);
}

std::uint64_t class_slots(const ClassDump& dump) { return kFixedClassSlots + dump.static_references.size(); }

std::uint64_t class_bytes(const ClassDump& dump) {
  return array_bytes(class_slots(dump), dump.static_primitive_bytes);
}

std::uint64_t primitive_array_bytes(const PrimitiveArrayDump& dump) {
  return round_up_to_8(kArrayHeaderBytes + dump.data_bytes);
}

/// Returns the number of an instance's slots: its class object and its fields.
std::uint64_t instance_slots(const HprofClasses& classes, HprofClasses::ClassNumber number) {
  return 1 + classes.references(number);
}

std::uint64_t instance_bytes(const HprofClasses& classes, HprofClasses::ClassNumber number) {
  return round_up_to_8(kHeaderBytes + kReferenceBytes * instance_slots(classes, number) +
                       classes.primitive_bytes(number));
}

/// The findings of the first pass.
struct Inventory {
  explicit Inventory(bool with_names) : types(with_names), classes(with_names) {}

  HprofTypes types;
  IdentifierIndex nodes;
  std::vector<TypeId> node_types;
  HprofClasses classes;
  HprofThreads threads;  ///< if names are wanted
  std::vector<RootDump> roots;
  bool is_ours = false;          ///< Jackdaw wrote the dump, and names are wanted
  std::uint64_t slots = 0;       ///< of all nodes; of instances only at the end of the pass
  std::uint64_t heap_bytes = 0;  ///< of all nodes; of instances only at the end of the pass
};

/// Takes the inventory and checks all that can be wrong in a dump of well-formed records.
class FirstPass final : public HprofVisitor {
 public:
  FirstPass(HprofRecords& records, const HprofLimits& limits, Inventory& inventory)
      : source_(records.source()),
        identifier_bytes_(records.identifier_bytes()),
        limits_(limits),
        found_(inventory) {}

  void visit_string(std::uint64_t /*identifier*/, std::uint64_t bytes) override {
    if (is_first_string_ && limits_.with_names && bytes == kOwnHprof.size())
      found_.is_ours = source_.read_text(bytes) == kOwnHprof;
    is_first_string_ = false;
  }

  void visit_class_name(std::uint64_t class_identifier, std::uint64_t string_identifier,
                        std::uint32_t serial) override {
    found_.classes.set_name(class_identifier, string_identifier, serial);
    require_memory_so_far();
  }

  void visit_frame(const FrameDump& dump) override {
    if (!limits_.with_names) return;
    found_.threads.add_frame(dump, found_.classes.strings());
    require_memory_so_far();
  }

  void visit_trace_frame(std::uint32_t serial, std::uint64_t frame) override {
    if (!limits_.with_names) return;
    found_.threads.add_trace_frame(serial, frame);
    require_memory_so_far();
  }

  void visit_root(const RootDump& dump) override {
    found_.roots.push_back(dump);
    if (limits_.with_names && dump.kind == HprofRoot::thread_object) found_.threads.add_thread(dump);
    require_memory_so_far();
  }

  void visit_class(const ClassDump& dump) override {
    add_node(dump.offset, dump.identifier, HprofTypes::kClass, class_slots(dump), class_bytes(dump));
    found_.classes.describe(dump);
  }

  void visit_instance(const InstanceDump& dump) override {
    const auto number = found_.classes.add_instance(dump, source_);
    add_node(dump.offset, dump.identifier, found_.types.instance(number), 0, 0);
  }

  void visit_object_array(const ObjectArrayDump& dump) override {
    const std::uint64_t slots = 1 + std::uint64_t{dump.length};
    add_node(dump.offset, dump.identifier, object_array_type(dump), slots, array_bytes(slots, 0));
  }

  void visit_primitive_array(const PrimitiveArrayDump& dump) override {
    add_node(dump.offset, dump.identifier, found_.types.primitive_array(dump.type), 0,
             primitive_array_bytes(dump));
  }

  void finish() {
    if (found_.nodes.size() == 0)
      source_.fail(source_.offset(), "the dump ends without an object; must have one");
    found_.classes.resolve(source_, identifier_bytes_);
    for (HprofClasses::ClassNumber number = 0; number < found_.classes.size(); ++number) {
      const std::uint64_t instances = found_.classes.instances(number);
      if (instances == 0) continue;
      found_.slots += instances * instance_slots(found_.classes, number);
      found_.heap_bytes = saturating_add(
          found_.heap_bytes, saturating_multiply(instances, instance_bytes(found_.classes, number)));
    }
  }

 private:
  TypeId object_array_type(const ObjectArrayDump& dump) {
    const bool by_class = found_.types.are_exact();
    return found_.types.object_array(by_class ? found_.classes.mention(dump.class_identifier) : 0);
  }

  void add_node(std::uint64_t offset, std::uint64_t identifier, TypeId type, std::uint64_t slots,
                std::uint64_t bytes) {
    if (identifier == 0)
      source_.fail(offset, "an object with the identifier 0, which is null; must have another");
    if (found_.nodes.size() >= limits_.maximum_nodes) {
      source_.fail(
          offset, fmt::format("more than {} objects, the most that a graph can have", limits_.maximum_nodes));
    }
    if (!found_.nodes.insert(identifier).is_new) {
      source_.fail(
          offset, fmt::format("a second object with the identifier {:#x}; must be the only one", identifier));
    }
    found_.node_types.push_back(type);
    found_.slots += slots;
    found_.heap_bytes = saturating_add(found_.heap_bytes, bytes);
    require_memory_so_far();
  }

  /// Refuses a dump that cannot fit at the first record that makes that certain, however well it compresses.
  void require_memory_so_far() const {
    constexpr std::uint64_t kPerNode = IdentifierIndex::kPeakBytesPerIdentifier + 3 * sizeof(TypeId);
    const std::uint64_t tables = found_.nodes.size() * kPerNode + found_.classes.table_bytes() +
                                 found_.threads.table_bytes() + found_.roots.size() * 3 * sizeof(RootDump);
    tools::require_memory_so_far(source_, tables, found_.heap_bytes, limits_.heap_copies,
                                 limits_.memory_limit_bytes);
  }

  ByteSource& source_;
  unsigned identifier_bytes_;
  const HprofLimits& limits_;
  Inventory& found_;
  bool is_first_string_ = true;
};

/// Fills in the references and sizes. It relies on the first pass's checks, as long as the file is unchanged.
class SecondPass final : public HprofVisitor {
 public:
  SecondPass(HprofRecords& records, Inventory& inventory, Graph& graph)
      : records_(records), found_(inventory), graph_(graph) {
    graph_.node_count = found_.nodes.size();
    graph_.slot_begin.reserve(graph_.node_count + 1);
    graph_.slot_begin.push_back(0);
    graph_.slots.reserve(found_.slots);
    graph_.node_bytes.reserve(graph_.node_count);
  }

  void visit_string(std::uint64_t identifier, std::uint64_t bytes) override {
    found_.classes.strings().read(identifier, bytes, records_.source());
  }

  void visit_class(const ClassDump& dump) override {
    require_next(dump.identifier, HprofTypes::kClass);
    add_slot(dump.super);
    add_slot(dump.loader);
    add_slot(dump.signers);
    add_slot(dump.protection_domain);
    for (const std::uint64_t identifier : dump.static_references) add_slot(identifier);
    finish_node(class_bytes(dump));
  }

  void visit_instance(const InstanceDump& dump) override {
    const auto number = found_.classes.number_of(dump.class_identifier);
    if (number == IdentifierIndex::kAbsent || found_.classes.data_bytes(number) != dump.data_bytes)
      fail_changed();
    require_next(dump.identifier, found_.types.instance(number));
    add_slot(dump.class_identifier);
    found_.classes.for_each_field_run(number, [this](const FieldRun& run) {
      records_.source().skip(run.primitive_bytes);
      for (std::uint32_t left = run.references; left > 0; --left) add_slot(records_.read_identifier());
    });
    finish_node(instance_bytes(found_.classes, number));
  }

  void visit_object_array(const ObjectArrayDump& dump) override {
    const auto number = found_.classes.number_of(dump.class_identifier);
    require_next(dump.identifier, found_.types.object_array(number));
    // Jackdaw's objects have no class, but those of the dumps that it writes do.
    add_slot(found_.is_ours ? 0 : dump.class_identifier);
    for (std::uint32_t left = dump.length; left > 0; --left) add_slot(records_.read_identifier());
    finish_node(array_bytes(1 + std::uint64_t{dump.length}, 0));
  }

  void visit_primitive_array(const PrimitiveArrayDump& dump) override {
    require_next(dump.identifier, found_.types.primitive_array(dump.type));
    finish_node(primitive_array_bytes(dump));
  }

  void finish() const {
    if (graph_.node_bytes.size() != graph_.node_count || graph_.slots.size() != found_.slots) fail_changed();
  }

 private:
  void require_next(std::uint64_t identifier, TypeId type) const {
    const std::size_t node = graph_.node_bytes.size();
    const bool same = node < graph_.node_count &&
                      found_.nodes.identifier(static_cast<NodeId>(node)) == identifier &&
                      found_.node_types[node] == type;
    if (!same) fail_changed();
  }

  void add_slot(std::uint64_t identifier) {
    // The index's number for absent is the graph's number for null.
    static_assert(IdentifierIndex::kAbsent == kNullNode);
    graph_.slots.push_back(identifier == 0 ? kNullNode : found_.nodes.number_of(identifier));
  }

  void finish_node(std::uint64_t bytes) {
    graph_.slot_begin.push_back(graph_.slots.size());
    graph_.node_bytes.push_back(bytes);
  }

  [[noreturn]] void fail_changed() const {
    records_.source().fail(records_.source().offset(),
                           "the file changed while it was read; must stay the same");
  }

  HprofRecords& records_;
  Inventory& found_;
  Graph& graph_;
};

/// Throws InputError when the graph's final description cannot fit, first together with the tables for
/// reading it and then, when those are freed, with the heaps.
void require_final_memory(const ByteSource& source, const Inventory& found, const HprofLimits& limits) {
  const std::uint64_t nodes = found.nodes.size();
  const std::uint64_t types = found.types.instance(static_cast<TypeId>(found.classes.size()));
  const std::uint64_t description = nodes * (2 * sizeof(std::uint64_t) + sizeof(TypeId)) +
                                    found.slots * sizeof(NodeId) + types * (sizeof(NodeType) + kLongestName) +
                                    found.roots.size() * sizeof(NodeId);
  const std::uint64_t tables = nodes * IdentifierIndex::kPeakBytesPerIdentifier +
                               found.classes.table_bytes() + found.threads.table_bytes() +
                               found.roots.size() * sizeof(RootDump);
  require_memory(source.name(), description + tables, 0, 0, limits.memory_limit_bytes);
  require_memory(source.name(), description, found.heap_bytes, limits.heap_copies, limits.memory_limit_bytes);
}

void add_types(const Inventory& found, Graph& graph) {
  const HprofClasses& classes = found.classes;
  graph.types.resize(found.types.instance(static_cast<TypeId>(classes.size())));
  for (NodeType& type : graph.types) type.layout = NodeType::Layout::array;
  for (unsigned type = HprofTypes::kFirstPrimitive; type <= HprofTypes::kLastPrimitive; ++type)
    graph.types[found.types.primitive_array(static_cast<std::uint8_t>(type))].layout = NodeType::Layout::data;
  for (HprofClasses::ClassNumber number = 0; number < classes.size(); ++number) {
    // Only a class without instances can have more references than the type can say.
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    const auto references = static_cast<std::uint32_t>(std::min(instance_slots(classes, number), kMost));
    NodeType& type = graph.types[found.types.instance(number)];
    type = {NodeType::Layout::record, references, classes.name(number)};
  }
}

/// Turns the root records' identifiers into the graph's roots. Returns how many were dangling.
std::uint64_t find_roots(const Inventory& found, Graph& graph) {
  std::uint64_t dangling = 0;
  graph.roots.reserve(found.roots.size());
  for (const RootDump& root : found.roots) {
    const std::uint32_t node = found.nodes.number_of(root.identifier);
    if (node == IdentifierIndex::kAbsent) {
      ++dangling;
    } else {
      graph.roots.push_back(node);
    }
  }
  return dangling;
}

/// Adds names for the roots that find_roots() found.
void name_roots(const Inventory& found, HprofNames& names) {
  for (const RootDump& root : found.roots) {
    if (found.nodes.number_of(root.identifier) != IdentifierIndex::kAbsent) names.add_root(root);
  }
}

/// Has the roots of a dump that Jackdaw wrote be those that it was written from: not the classes but their
/// static fields, and no objects for threads.
void restore_roots(const Inventory& found, Graph& graph, HprofNames& names) {
  graph.roots.clear();
  for (const RootDump& root : found.roots) {
    const std::uint32_t node = found.nodes.number_of(root.identifier);
    if (node == IdentifierIndex::kAbsent || root.kind == HprofRoot::thread_object) continue;
    if (root.kind != HprofRoot::sticky_class || graph.type_id_of(node) != HprofTypes::kClass) {
      graph.roots.push_back(node);
      names.add_root(root);
      continue;
    }
    const auto fields = graph.slots_of(node).subspan(kFixedClassSlots);
    for (std::uint32_t field = 0; field < fields.size(); ++field) {
      if (fields[field] == kNullNode) continue;
      graph.roots.push_back(fields[field]);
      names.add_static_field(root.identifier, field);
    }
  }
}

/// Adds names and identifiers to a graph that is complete without them.
void add_names(Inventory& found, HprofRecords& records, Graph& graph) {
  graph.identifiers = found.nodes.identifiers();
  graph.has_hexadecimal_identifiers = true;
  for (auto& [serial, thread] : found.threads.all()) thread.object = found.nodes.number_of(thread.identifier);
  const auto names =
      std::make_shared<HprofNames>(std::move(found.classes), std::move(found.threads), found.is_ours);
  if (found.is_ours) {
    restore_roots(found, graph, *names);
  } else {
    name_roots(found, *names);
  }
  for (TypeId type = 0; type < graph.types.size(); ++type) graph.types[type].name = names->of_type(type);
  read_thread_names(records, graph, *names);
  graph.names = names;
}

}  // namespace

HprofGraph read_hprof(const std::string& path, const HprofLimits& limits) {
  ByteSource source(path);
  return read_hprof(source, limits);
}

HprofGraph read_hprof(ByteSource& source, const HprofLimits& limits) {
  Progress progress("reading " + source.name());
  HprofRecords records(source, progress, limits.with_names ? 3 : 2);
  Inventory found(limits.with_names);
  FirstPass first(records, limits, found);
  records.visit_all(first);
  first.finish();
  require_final_memory(source, found, limits);

  HprofGraph result;
  Graph& graph = result.graph;
  graph.name = "hprof:" + source.name();
  SecondPass second(records, found, graph);
  records.visit_all(second);
  second.finish();
  graph.node_types = std::move(found.node_types);
  add_types(found, graph);
  result.root_records = found.roots.size();
  result.dangling_root_records = find_roots(found, graph);
  if (result.dangling_root_records > 0) {
    graph.note = fmt::format("{} of {} root records name nothing in the dump", result.dangling_root_records,
                             result.root_records);
  }
  if (limits.with_names) add_names(found, records, graph);
  return result;
}

}  // namespace jackdaw::tools
