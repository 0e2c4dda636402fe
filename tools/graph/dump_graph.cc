#include "tools/graph/dump_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heap/kind.h"
#include "heap/object.h"
#include "tools/command/memory_limit.h"
#include "tools/command/printable_name.h"
#include "tools/command/progress.h"
#include "tools/command/saturating.h"
#include "tools/graph/dump_records.h"
#include "tools/graph/footprint.h"
#include "tools/graph/identifier_index.h"

namespace jackdaw::tools {

namespace {

constexpr TypeId kWordsType = 0;
constexpr TypeId kDataType = 1;

// At most this much is kept of a program's files. Linux gives a process 65,530 mappings, and a file takes at
// least four: this is room for a path of a hundred bytes for each of those files.
constexpr std::uint64_t kMostFileBytes = std::uint64_t{4} << 20;

TypeId type_of_contents(heap::Contents contents) {
  return contents == heap::Contents::data ? kDataType : kWordsType;
}

/// The findings of the first pass.
struct Inventory {
  IdentifierIndex nodes;  ///< live objects by their addresses, the rest by those of their slots
  std::vector<TypeId> node_types;
  std::vector<std::uint64_t> node_bytes;
  std::vector<std::uint64_t> node_slots;
  std::vector<std::uint64_t> roots;  ///< addresses
  std::unordered_map<std::uint64_t, TypeId> named_types;
  std::vector<NodeType> types{{NodeType::Layout::array, 0, "words"}, {NodeType::Layout::data, 0, "data"}};
  std::uint64_t live = 0;
  std::uint64_t slots = 0;
  std::uint64_t heap_bytes = 0;
};

/// Finds a node for each slot of each block, the sizes, and the roots.
class FirstPass final : public DumpVisitor {
 public:
  FirstPass(ByteSource& source, const GraphOptions& options, Inventory& found, DumpedHeap& heap)
      : source_(source), options_(options), found_(found), heap_(heap) {}

  void visit_program(const DumpedProgram& program) override { heap_.program = program; }
  void visit_object_file(const DumpedObjectFile& file) override {
    file_bytes_ += sizeof file + file.path.size() + file.segments.size() * sizeof(file.segments.front());
    if (file_bytes_ > kMostFileBytes)
      source_.fail(source_.offset(),
                   fmt::format("the program's files so far take more than {}; must be those "
                               "that a process can have mapped",
                               describe_bytes(kMostFileBytes)));
    heap_.files.push_back(file);
  }
  void visit_return_address(std::uint64_t thread, std::uint64_t place, std::uint64_t address) override {
    heap_.calls[thread].push_back({place, address});
    ++other_;
    require_memory_so_far();
  }

  void visit_calls(const std::vector<std::uint64_t>& addresses) override {
    heap_.allocating_calls.push_back(addresses);
    sample_bytes_ +=
        3 * sizeof(std::vector<std::uint64_t>) + addresses.size() * sizeof(std::uint64_t) + kPerAllocation;
    require_memory_so_far();
  }
  void visit_sample(const DumpedSample&) override {
    sample_bytes_ += kPerMapNode;
    require_memory_so_far();
  }

  void visit_type(std::uint64_t type, const std::string& name) override {
    const auto known = found_.named_types.find(type);
    if (known != found_.named_types.end() && !name.empty())
      found_.types[known->second].name = name_to_keep(name);
  }

  void begin_block(const DumpedBlock& block, const DumpedKind& kind) override {
    block_ = block;
    kind_ = kind;
    next_slot_ = 0;
    heap_.blocks.push_back({block.object_bytes, block.slots, 0});
    require_memory_so_far();
  }

  void begin_object(const DumpedObject& object) override {
    fill_up_to((object.address - block_.address) / object.bytes);
    add_node(object.address, kind_.has_types ? named_type(object.type) : type_of_contents(kind_.contents));
    heap_.is_live.back() = true;
    if (!kind_.is_collectable) {
      found_.roots.push_back(object.address);
      heap_.root_places.emplace_back();
    }
    ++found_.live;
    ++heap_.blocks.back().live;
    ++next_slot_;
    slots_ = 0;
    unplaced_ = 0;
  }

  void visit_reference(const DumpedReference& reference) override {
    slots_ = std::max(slots_, reference.word);
    if (reference.word == gc::kDumpNoWord) ++unplaced_;
  }

  void end_object() override {
    // References that lie in no word of the object come behind its last word with one.
    slots_ += unplaced_;
    found_.node_slots.back() = slots_;
    // The key of an ephemeron has a reference even if it holds no words.
    if (slots_ != 0 && found_.node_types.back() == kDataType) found_.node_types.back() = kWordsType;
    const std::uint64_t least = header_bytes() + slots_ * kReferenceBytes;
    found_.node_bytes.back() = std::max(found_.node_bytes.back(), least);
    found_.slots += slots_;
    require_memory_so_far();
  }

  void end_block() override {
    if (block_.slots > 1) fill_up_to(block_.slots);
  }

  void begin_roots(const DumpedRoots& roots) override { roots_ = roots; }

  void visit_root(const DumpedRoot& root) override {
    found_.roots.push_back(root.target);
    heap_.root_places.push_back({roots_.where, roots_.thread, roots_.stack_end, root.place, root.interior});
    require_memory_so_far();
  }

 private:
  void fill_up_to(std::uint64_t slot) {
    for (; next_slot_ < slot; ++next_slot_) {
      add_node(block_.address + next_slot_ * block_.object_bytes, type_of_contents(kind_.contents));
      require_memory_so_far();
    }
  }

  [[nodiscard]] std::uint64_t header_bytes() const { return options_.headers ? kArrayHeaderBytes : 0; }

  TypeId named_type(std::uint64_t type) {
    const auto [entry, is_new] =
        found_.named_types.try_emplace(type, static_cast<TypeId>(found_.types.size()));
    if (is_new) found_.types.push_back({NodeType::Layout::array, 0, fmt::format("type {:#x}", type)});
    return entry->second;
  }

  void add_node(std::uint64_t address, TypeId type) {
    if (found_.nodes.size() >= kMaximumNodes)
      source_.fail(source_.offset(),
                   fmt::format("more than {} objects, the most that a graph can have", kMaximumNodes));
    if (!found_.nodes.insert(address).is_new)
      source_.fail(source_.offset(), fmt::format("a second object at {:#x}; must be the only one", address));
    found_.node_types.push_back(type);
    found_.node_bytes.push_back(header_bytes() + block_.object_bytes);
    found_.node_slots.push_back(0);
    heap_.is_live.push_back(false);
    heap_.is_certain.push_back(kind_.contents != heap::Contents::words);
    found_.heap_bytes = saturating_add(found_.heap_bytes, found_.node_bytes.back());
  }

  void require_memory_so_far() const {
    constexpr std::uint64_t kPerNode =
        IdentifierIndex::kPeakBytesPerIdentifier + 3 * (sizeof(TypeId) + 2 * sizeof(std::uint64_t));
    constexpr std::uint64_t kPerType = kPerMapNode + 3 * sizeof(NodeType) + kLongestName;
    const std::uint64_t tables = found_.nodes.size() * kPerNode + found_.slots * sizeof(NodeId) +
                                 found_.types.size() * kPerType + heap_.calls.size() * kPerMapNode +
                                 found_.roots.size() * 3 * (sizeof(std::uint64_t) + sizeof(DumpedRootPlace)) +
                                 heap_.blocks.size() * 3 * sizeof(DumpedBlockUse) +
                                 other_ * 3 * sizeof(DumpedCall) + sample_bytes_;
    tools::require_memory_so_far(source_, tables, found_.heap_bytes, options_.heap_copies,
                                 options_.memory_limit_bytes);
  }

  // The nodes of maps, with what malloc adds, are below 100 bytes.
  static constexpr std::uint64_t kPerMapNode = 100;
  static constexpr std::uint64_t kPerAllocation = 32;

  ByteSource& source_;
  const GraphOptions& options_;
  Inventory& found_;
  DumpedHeap& heap_;
  std::uint64_t other_ = 0;
  std::uint64_t sample_bytes_ = 0;
  std::uint64_t file_bytes_ = 0;
  DumpedRoots roots_;
  DumpedBlock block_;
  DumpedKind kind_;
  std::uint64_t next_slot_ = 0;
  std::uint64_t slots_ = 0;     ///< of the present object, up to its last reference's word
  std::uint64_t unplaced_ = 0;  ///< its references that lie in no word
};

/// Adds the references.
class SecondPass final : public DumpVisitor {
 public:
  SecondPass(ByteSource& source, const Inventory& found, DumpedHeap& heap)
      : source_(source), found_(found), is_live_(heap.is_live), graph_(heap.graph), samples_(heap.samples) {}

  void begin_object(const DumpedObject& object) override {
    node_ = node_at(object.address, object.offset);
    next_unplaced_ = graph_.slot_begin[node_ + 1];
  }

  void visit_reference(const DumpedReference& reference) override {
    const NodeId target = node_at(reference.target, source_.offset());
    const std::uint64_t begin = graph_.slot_begin[node_];
    const bool has_word = reference.word != gc::kDumpNoWord;
    const std::uint64_t slot = has_word ? begin + reference.word - 1 : --next_unplaced_;
    if (slot < begin || slot >= graph_.slot_begin[node_ + 1]) fail_changed();
    graph_.slots[slot] = target;
  }

  void visit_sample(const DumpedSample& sample) override {
    samples_[node_at(sample.object, sample.offset)] = sample.calls;
  }

 private:
  NodeId node_at(std::uint64_t address, std::uint64_t offset) const {
    const std::uint32_t node = found_.nodes.number_of(address);
    if (node == IdentifierIndex::kAbsent || !is_live_[node])
      source_.fail(
          offset,
          fmt::format("a reference to {:#x}, where no object is; must be an object's address", address));
    return node;
  }
  [[noreturn]] void fail_changed() const {
    source_.fail(source_.offset(), "the file changed while it was read; must stay the same");
  }

  ByteSource& source_;
  const Inventory& found_;
  const std::vector<bool>& is_live_;
  Graph& graph_;
  std::map<NodeId, std::uint64_t>& samples_;
  NodeId node_ = 0;
  std::uint64_t next_unplaced_ = 0;
};

void lay_out(Inventory& found, Graph& graph) {
  graph.node_count = found.nodes.size();
  graph.slot_begin.reserve(graph.node_count + 1);
  graph.slot_begin.push_back(0);
  for (const std::uint64_t slots : found.node_slots)
    graph.slot_begin.push_back(graph.slot_begin.back() + slots);
  found.node_slots = {};
  graph.slots.assign(found.slots, kNullNode);
}

void find_roots(const Inventory& found, const ByteSource& source, DumpedHeap& heap) {
  Graph& graph = heap.graph;
  graph.roots.reserve(found.roots.size());
  for (const std::uint64_t address : found.roots) {
    const std::uint32_t node = found.nodes.number_of(address);
    if (node == IdentifierIndex::kAbsent || !heap.is_live[node])
      source.fail(source.offset(), fmt::format("a root at {:#x}, where no object is", address));
    graph.roots.push_back(node);
  }
}

}  // namespace

Graph read_heap_dump(const std::string& path, const GraphOptions& options) {
  return read_dumped_heap(path, options).graph;
}

Graph read_heap_dump(ByteSource& source, const GraphOptions& options) {
  return read_dumped_heap(source, options).graph;
}

DumpedHeap read_dumped_heap(const std::string& path, const GraphOptions& options) {
  ByteSource source(path);
  return read_dumped_heap(source, options);
}

DumpedHeap read_dumped_heap(ByteSource& source, const GraphOptions& options) {
  Progress progress("reading " + source.name());
  DumpRecords records(source, progress);
  Inventory found;
  DumpedHeap heap;
  FirstPass first(source, options, found, heap);
  records.visit_all(first);
  if (found.live == 0) source.fail(source.offset(), "the dump has no object; must have one");

  Graph& graph = heap.graph;
  graph.name = "dump:" + source.name();
  graph.has_headers = options.headers;
  graph.is_scattered = true;
  lay_out(found, graph);
  SecondPass second(source, found, heap);
  records.visit_all(second);
  find_roots(found, source, heap);
  graph.types = std::move(found.types);
  graph.node_types = std::move(found.node_types);
  graph.node_bytes = std::move(found.node_bytes);
  graph.note = fmt::format("{} live objects; {} nodes stand for what lay between them", found.live,
                           graph.node_count - found.live);
  require_memory(source.name(), description_bytes(graph), heap_bytes(graph), options.heap_copies,
                 options.memory_limit_bytes);
  heap.addresses.reserve(graph.node_count);
  for (NodeId node = 0; node < graph.node_count; ++node)
    heap.addresses.push_back(found.nodes.identifier(node));
  for (auto& [thread, calls] : heap.calls) std::ranges::sort(calls, {}, &DumpedCall::place);
  return heap;
}

}  // namespace jackdaw::tools
