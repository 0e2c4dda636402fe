#include "tools/graph/graph_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "gc/report/dump/dump_format.h"
#include "tools/command/input_error.h"
#include "tools/graph/byte_source.h"
#include "tools/graph/dump_graph.h"
#include "tools/graph/edge_list.h"
#include "tools/graph/hprof.h"
#include "tools/graph/matrix_market.h"
#include "tools/graph/mixed_sizes.h"
#include "tools/graph/rmat.h"
#include "tools/graph/synthetic.h"
#include "tools/graph/synthetic_limits.h"
#include "tools/graph/v8_snapshot.h"

namespace jackdaw::tools {

namespace {

constexpr std::uint64_t kLargestObjectBytes = std::uint64_t{1} << 30;

struct Parameter {
  const char* name = nullptr;  ///< none: the kind has fewer parameters
  std::uint64_t least = 1;
  std::uint64_t most = kMaximumNodes;
};

using Values = std::array<std::uint64_t, 2>;

struct GeneratedKind {
  std::string_view name;
  std::array<Parameter, 2> parameters;
  std::string_view help;
  Graph (*make)(const std::string& spec, const Values& values, const GraphOptions& options);

  [[nodiscard]] std::size_t parameter_count() const { return parameters[1].name == nullptr ? 1 : 2; }
  [[nodiscard]] std::string form() const {
    if (parameter_count() == 1) return fmt::format("{}:{}", name, parameters[0].name);
    return fmt::format("{}:{},{}", name, parameters[0].name, parameters[1].name);
  }
};

constexpr std::array kGeneratedKinds{
    GeneratedKind{"tree",
                  {{{"DEPTH", 0, 31}}},
                  "complete binary tree, DEPTH edges deep, numbered in preorder",
                  [](const std::string& spec, const Values& values, const GraphOptions& options) {
                    return make_tree(spec, values[0], options);
                  }},
    GeneratedKind{"list",
                  {{{"N"}}},
                  "singly linked list of N nodes",
                  [](const std::string& spec, const Values& values, const GraphOptions& options) {
                    return make_list(spec, values[0], options);
                  }},
    GeneratedKind{"array",
                  {{{"N"}}},
                  "one array of N references to N distinct objects",
                  [](const std::string& spec, const Values& values, const GraphOptions& options) {
                    return make_array(spec, values[0], options);
                  }},
    GeneratedKind{"strings",
                  {{{"N"}}},
                  "one array of N references to N objects, each with a string of its own",
                  [](const std::string& spec, const Values& values, const GraphOptions& options) {
                    return make_strings(spec, values[0], options);
                  }},
    GeneratedKind{"numbers",
                  {{{"N"}}},
                  "tree of N objects of 16 to 512 bytes, half of them random integers",
                  [](const std::string& spec, const Values& values, const GraphOptions& options) {
                    return make_numbers(spec, values[0], options);
                  }},
    GeneratedKind{"ordered",
                  {{{"N"}, {"ARITY"}}},
                  "complete ARITY-ary tree of N nodes, allocated breadth first",
                  [](const std::string& spec, const Values& values, const GraphOptions& options) {
                    return make_ordered(spec, values[0], values[1], options);
                  }},
    GeneratedKind{"shuffled",
                  {{{"N"}, {"ARITY"}}},
                  "the same tree, allocated in random order",
                  [](const std::string& spec, const Values& values, const GraphOptions& options) {
                    return make_shuffled(spec, values[0], values[1], options);
                  }},
    GeneratedKind{"random",
                  {{{"N"}, {"DEGREE"}}},
                  "N nodes, each with DEGREE references to random nodes",
                  [](const std::string& spec, const Values& values, const GraphOptions& options) {
                    return make_random(spec, values[0], values[1], options);
                  }},
    GeneratedKind{"rmat",
                  {{{"SCALE", 0, 31}, {"EDGEFACTOR"}}},
                  "Graph500's skewed graph: 2^SCALE nodes, EDGEFACTOR * 2^SCALE edges",
                  [](const std::string& spec, const Values& values, const GraphOptions& options) {
                    return make_rmat(spec, values[0], values[1], options);
                  }},
    GeneratedKind{"comb",
                  {{{"SPINE"}, {"TOOTH"}}},
                  "list of SPINE nodes, each the head of a list of TOOTH more",
                  [](const std::string& spec, const Values& values, const GraphOptions& options) {
                    return make_comb(spec, values[0], values[1], options);
                  }},
    GeneratedKind{"layers",
                  {{{"DEPTH"}, {"WIDTH"}}},
                  "DEPTH layers of WIDTH nodes, each referring to all of the next layer",
                  [](const std::string& spec, const Values& values, const GraphOptions& options) {
                    return make_layers(spec, values[0], values[1], options);
                  }},
};

/// Returns the text before the first `separator` of `text`, and leaves what follows it in `text`.
std::string_view take_up_to(char separator, std::string_view& text) {
  const std::size_t length = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return taken;
}

std::uint64_t parse_parameter(const std::string& spec, const Parameter& parameter, std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stopped != end || value < parameter.least ||
      value > parameter.most) {
    throw InputError(fmt::format("{}: {} must be a whole number from {} to {}", describe_graph(spec),
                                 parameter.name, parameter.least, parameter.most));
  }
  return value;
}

Values parse_parameters(const std::string& spec, const GeneratedKind& kind, std::string_view text) {
  const auto given = static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1;
  if (given != kind.parameter_count() || text.empty()) {
    throw InputError(fmt::format("{}: must have the form {}", describe_graph(spec), kind.form()));
  }
  Values values{};
  for (std::size_t i = 0; i < given; ++i) {
    values[i] = parse_parameter(spec, kind.parameters[i], take_up_to(',', text));
  }
  return values;
}

void require_sensible_object_bytes(std::uint64_t bytes) {
  if (bytes >= kHeaderBytes && bytes <= kLargestObjectBytes) return;
  throw InputError(fmt::format("object size {}: must be a whole number of bytes from {} to {}", bytes,
                               kHeaderBytes, kLargestObjectBytes));
}

/// A kind of graph that is read from a file.
struct FileKind {
  std::string_view name;
  std::string_view help;
  Graph (*read)(const std::string& path, const GraphOptions& options);

  [[nodiscard]] std::string form() const { return fmt::format("{}:FILE", name); }
};

constexpr std::array kFileKinds{
    FileKind{
        "dump", "the heap in one of Jackdaw's heap dumps (JACKDAW_DUMP), compressed or not",
        [](const std::string& path, const GraphOptions& options) { return read_heap_dump(path, options); }},
    FileKind{"hprof", "the heap in a Java heap dump (HPROF), compressed or not",
             [](const std::string& path, const GraphOptions& options) {
               return read_hprof(path, {.memory_limit_bytes = options.memory_limit_bytes,
                                        .heap_copies = options.heap_copies,
                                        .with_names = options.as_in_file})
                   .graph;
             }},
    FileKind{
        "v8", "the heap in a heap snapshot of Chrome or Node (.heapsnapshot), compressed or not",
        [](const std::string& path, const GraphOptions& options) { return read_v8_snapshot(path, options); }},
    FileKind{
        "edges", "a list of edges, a line 'FROM TO' for each, as SNAP's, compressed or not",
        [](const std::string& path, const GraphOptions& options) { return read_edge_list(path, options); }},
    FileKind{"mtx", "a square sparse matrix of Matrix Market, its entries as edges, compressed or not",
             [](const std::string& path, const GraphOptions& options) {
               return read_matrix_market(path, options);
             }},
};

Graph read_file(const std::string& spec, const FileKind& kind, std::string_view path,
                const GraphOptions& options) {
  if (path.empty())
    throw InputError(fmt::format("{}: must have the form {}", describe_graph(spec), kind.form()));
  Graph graph = kind.read(std::string(path), options);
  graph.name = spec;
  graph.is_scattered = true;
  return graph;
}

/// Returns the name of the kind that the file at `path` is by its first bytes; empty where it is none of them
/// or cannot be read.
std::string_view kind_of_file(const std::string& path) {
  constexpr std::pair<std::string_view, std::string_view> kStarts[] = {
      {gc::kDumpMagic, "dump"}, {"JAVA PROFILE", "hprof"}, {"{", "v8"}, {"%%MatrixMarket", "mtx"}};
  std::string start;
  try {
    ByteSource source(path);
    constexpr std::size_t kLongestStart = 16;
    while (start.size() < kLongestStart && !source.at_end()) start += static_cast<char>(source.read_u1());
  } catch (const InputError&) {
    return "";
  }
  for (const auto& [known, kind] : kStarts)
    if (start.starts_with(known)) return kind;
  return "";
}

[[noreturn]] void fail_unknown_kind(const std::string& spec) {
  if (const std::string_view kind = kind_of_file(spec); !kind.empty())
    throw InputError(fmt::format("{}: lacks its kind; must be {}:{}", describe_graph(spec), kind, spec));
  std::vector<std::string> forms;
  for (const GraphKind& kind : graph_kinds()) forms.push_back(kind.form);
  throw InputError(
      fmt::format("{}: unknown kind; must be one of {}", describe_graph(spec), fmt::join(forms, " ")));
}

}  // namespace

Graph make_graph(const std::string& spec, const GraphOptions& options) {
  require_sensible_object_bytes(options.object_bytes);
  std::string_view parameters = spec;
  const std::string_view name = take_up_to(':', parameters);
  for (const FileKind& kind : kFileKinds) {
    if (kind.name == name) return read_file(spec, kind, parameters, options);
  }
  const auto* const kind =
      std::find_if(kGeneratedKinds.begin(), kGeneratedKinds.end(),
                   [name](const GeneratedKind& candidate) { return candidate.name == name; });
  if (kind == kGeneratedKinds.end()) fail_unknown_kind(spec);
  return kind->make(spec, parse_parameters(spec, *kind, parameters), options);
}

std::vector<GraphKind> graph_kinds() {
  std::vector<GraphKind> kinds;
  kinds.reserve(kGeneratedKinds.size() + kFileKinds.size());
  for (const GeneratedKind& kind : kGeneratedKinds) kinds.push_back({kind.form(), std::string(kind.help)});
  for (const FileKind& kind : kFileKinds) kinds.push_back({kind.form(), std::string(kind.help)});
  return kinds;
}

}  // namespace jackdaw::tools
