#include "tools/graph/v8_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "tools/command/progress.h"
#include "tools/graph/json_text.h"

namespace jackdaw::tools {

namespace {

/// The role of a value in a snapshot.
enum class Part : std::uint8_t {
  other,
  node_fields,
  node_kinds,
  edge_fields,
  edge_kinds,
  node_count,
  edge_count,
  nodes,
  edges,
  strings,
};

constexpr std::array<std::pair<std::string_view, Part>, 9> kParts{{
    {".snapshot.meta.node_fields[]", Part::node_fields},
    {".snapshot.meta.node_types[][]", Part::node_kinds},
    {".snapshot.meta.edge_fields[]", Part::edge_fields},
    {".snapshot.meta.edge_types[][]", Part::edge_kinds},
    {".snapshot.node_count", Part::node_count},
    {".snapshot.edge_count", Part::edge_count},
    {".nodes[]", Part::nodes},
    {".edges[]", Part::edges},
    {".strings[]", Part::strings},
}};

/// The path of the present value in a JSON document.
class JsonPath {
 public:
  /// Deeper than anything that V8 writes.
  static constexpr std::size_t kDeepest = 1000;

  [[nodiscard]] Part part() const { return part_; }
  [[nodiscard]] std::size_t depth() const { return ends_.size(); }

  void open_object() { ends_.push_back(path_.size()); }
  void open_array() {
    ends_.push_back(path_.size());
    path_ += "[]";
    find_part();
  }
  void name_value(std::string_view key) {
    constexpr std::size_t kLongest = 16;  // of the paths that matter
    const bool may_matter = key.size() <= kLongest && key.find_first_of(".[") == std::string_view::npos;
    path_.resize(ends_.back());
    path_ += '.';
    if (may_matter) path_ += key;
    find_part();
  }
  void close() {
    path_.resize(ends_.back());
    ends_.pop_back();
    find_part();
  }

 private:
  void find_part() {
    const auto* const found = std::ranges::find(kParts, path_, &std::pair<std::string_view, Part>::first);
    part_ = found == kParts.end() ? Part::other : found->second;
  }

  std::string path_;               ///< of the next value
  std::vector<std::size_t> ends_;  ///< of the paths of all open objects and arrays
  Part part_ = Part::other;
};

/// A list of records, each of several numbers.
class RecordList {
 public:
  static constexpr std::size_t kMostFields = 32;

  std::vector<std::string> fields;
  std::vector<std::string> kinds;
  std::uint64_t told = 0;   ///< how many there must be
  std::uint64_t count = 0;  ///< how many there were
  bool is_complete = false;

  /// Whether the number is the last one of a record.
  bool add(std::uint64_t number) {
    numbers_[next_] = number;
    next_ = next_ + 1 == fields.size() ? 0 : next_ + 1;
    if (next_ == 0) ++count;
    return next_ == 0;
  }
  [[nodiscard]] bool is_within_record() const { return next_ != 0; }
  [[nodiscard]] std::uint64_t number(std::size_t field) const { return numbers_[field]; }

 private:
  std::array<std::uint64_t, kMostFields> numbers_{};
  std::size_t next_ = 0;
};

/// Receives nlohmann-json's events, whose names are not in the style of this project.
class SnapshotParser {
 public:
  SnapshotParser(ByteSource& source, V8Visitor& visitor)
      : source_(source), text_(source), progress_("reading " + source.name()), visitor_(visitor) {}

  void parse() {
    nlohmann::json::sax_parse(JsonIterator(text_), JsonIterator(), this);
    if (!strings_are_complete_) {
      fail(
          "the JSON ends without 'snapshot', 'nodes', 'edges' and 'strings'; must be a heap snapshot as "
          "Chrome and Node write them");
    }
  }

  bool null() { return take_other(); }
  bool boolean(bool /*value*/) { return take_other(); }
  bool number_integer(std::int64_t /*value*/) { return take_other_number(); }
  bool number_float(double /*value*/, const std::string& /*text*/) { return take_other_number(); }
  bool binary(const nlohmann::json::binary_t& /*value*/) { return take_other(); }

  bool number_unsigned(std::uint64_t value) {
    text_.begin_value();
    switch (path_.part()) {
      case Part::nodes:
        if (nodes_.add(value)) finish_node();
        break;
      case Part::edges:
        if (edges_.add(value)) finish_edge();
        break;
      case Part::node_count:
        nodes_.told = value;
        break;
      case Part::edge_count:
        edges_.told = value;
        break;
      default:
        return take_other();
    }
    return true;
  }

  bool string(const std::string& text) {
    text_.begin_value();
    switch (path_.part()) {
      case Part::node_fields:
        add_name(nodes_.fields, text, RecordList::kMostFields);
        break;
      case Part::node_kinds:
        add_name(nodes_.kinds, text, kMostKinds);
        break;
      case Part::edge_fields:
        add_name(edges_.fields, text, RecordList::kMostFields);
        break;
      case Part::edge_kinds:
        add_name(edges_.kinds, text, kMostKinds);
        break;
      case Part::strings:
        visitor_.visit_string(string_count_++, text);
        break;
      default:
        return take_other();
    }
    return true;
  }

  bool start_object(std::size_t /*elements*/) {
    refuse_in_lists();
    open();
    path_.open_object();
    return true;
  }
  bool key(const std::string& name) {
    text_.begin_value();
    path_.name_value(name);
    return true;
  }
  bool end_object() {
    path_.close();
    return true;
  }

  bool start_array(std::size_t /*elements*/) {
    refuse_in_lists();
    open();
    path_.open_array();
    if (path_.part() == Part::nodes) begin_nodes();
    if (path_.part() == Part::edges) begin_edges();
    if (path_.part() == Part::strings) begin_strings();
    return true;
  }
  bool end_array() {
    if (path_.part() == Part::nodes) finish_list(nodes_, "nodes");
    if (path_.part() == Part::edges) finish_list(edges_, "edges");
    if (path_.part() == Part::strings) strings_are_complete_ = true;
    path_.close();
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) {
    if (position > text_.taken()) fail("the file ends in the middle of its JSON; must be a whole file");
    source_.fail(source_.offset() - (text_.taken() - position) - 1,
                 "not JSON; must be a heap snapshot as Chrome and Node write them");
  }

 private:
  static constexpr std::size_t kMostKinds = 256;

  /// Throws where another sort of value must be.
  void refuse_in_lists() const {
    switch (path_.part()) {
      case Part::nodes:
      case Part::edges:
        fail("this is no whole number; must be one in 'nodes' and 'edges'");
      case Part::strings:
        fail("this is no string; must be one in 'strings'");
      case Part::node_count:
      case Part::edge_count:
        fail("this is no whole number; must be one in 'node_count' and 'edge_count'");
      default:
        break;
    }
  }
  bool take_other() const {
    refuse_in_lists();
    return true;
  }
  bool take_other_number() {
    text_.begin_value();
    return take_other();
  }

  void open() const {
    if (path_.depth() == JsonPath::kDeepest)
      fail(fmt::format("values nested deeper than {}; must be a heap snapshot", JsonPath::kDeepest));
  }

  void add_name(std::vector<std::string>& names, const std::string& name, std::size_t most) const {
    if (names.size() == most) fail(fmt::format("more than {} names in a list of 'meta'", most));
    names.push_back(name);
  }

  [[nodiscard]] std::size_t index_of(std::string_view name, const std::vector<std::string>& names,
                                     const char* list) const {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) fail(fmt::format("'{}' of 'meta' does not have '{}'; must have", list, name));
    return static_cast<std::size_t>(found - names.begin());
  }

  void begin_nodes() {
    if (nodes_.is_complete) fail("a second list of nodes; must be the only one");
    node_kind_ = index_of("type", nodes_.fields, "node_fields");
    node_name_ = index_of("name", nodes_.fields, "node_fields");
    node_identifier_ = index_of("id", nodes_.fields, "node_fields");
    node_self_bytes_ = index_of("self_size", nodes_.fields, "node_fields");
    node_edge_count_ = index_of("edge_count", nodes_.fields, "node_fields");
    edge_kind_ = index_of("type", edges_.fields, "edge_fields");
    edge_target_ = index_of("to_node", edges_.fields, "edge_fields");
    edge_name_ = index_of("name_or_index", edges_.fields, "edge_fields");
    visitor_.begin_nodes(nodes_.kinds, edges_.kinds);
  }

  void finish_node() {
    const std::uint64_t kind = nodes_.number(node_kind_);
    if (kind >= nodes_.kinds.size())
      fail(fmt::format("a node of type {}; must be below {}", kind, nodes_.kinds.size()));
    show_progress();
    visitor_.visit_node({kind, nodes_.number(node_name_), nodes_.number(node_identifier_),
                         nodes_.number(node_self_bytes_), nodes_.number(node_edge_count_)});
  }

  void begin_edges() const {
    if (edges_.is_complete) fail("a second list of edges; must be the only one");
    if (!nodes_.is_complete) fail("the edges come before the nodes; must come after them");
  }

  void finish_edge() {
    const std::uint64_t kind = edges_.number(edge_kind_);
    if (kind >= edges_.kinds.size())
      fail(fmt::format("an edge of type {}; must be below {}", kind, edges_.kinds.size()));
    const std::uint64_t target = edges_.number(edge_target_);
    const std::uint64_t node = target / nodes_.fields.size();
    if (target % nodes_.fields.size() != 0 || node >= nodes_.count) {
      fail(fmt::format("an edge to {}, where no node begins; must be a multiple of {} below {}", target,
                       nodes_.fields.size(), nodes_.fields.size() * nodes_.count));
    }
    show_progress();
    visitor_.visit_edge({kind, edges_.number(edge_name_), node});
  }

  void finish_list(RecordList& list, const char* what) const {
    if (list.is_within_record())
      fail(fmt::format("the list ends in the middle of a record; must have all {} numbers of its {}",
                       list.fields.size(), what));
    if (list.count != list.told)
      fail(fmt::format("there are {} {}, but the snapshot tells of {}; must be as many", list.count, what,
                       list.told));
    list.is_complete = true;
  }

  void begin_strings() const {
    if (strings_are_complete_) fail("a second list of strings; must be the only one");
    if (!edges_.is_complete) fail("the strings come before the edges; must come after them");
  }

  void show_progress() {
    if (progress_.due()) progress_.draw(source_.file_bytes_taken(), source_.file_bytes());
  }

  [[noreturn]] void fail(const std::string& message) const { source_.fail(source_.offset(), message); }

  ByteSource& source_;
  JsonText text_;
  Progress progress_;
  V8Visitor& visitor_;
  JsonPath path_;
  RecordList nodes_;
  RecordList edges_;
  std::uint64_t string_count_ = 0;
  bool strings_are_complete_ = false;

  // Fields of records.
  std::size_t node_kind_ = 0;
  std::size_t node_name_ = 0;
  std::size_t node_identifier_ = 0;
  std::size_t node_self_bytes_ = 0;
  std::size_t node_edge_count_ = 0;
  std::size_t edge_kind_ = 0;
  std::size_t edge_name_ = 0;
  std::size_t edge_target_ = 0;
};

}  // namespace

void visit_v8_snapshot(ByteSource& source, V8Visitor& visitor) { SnapshotParser(source, visitor).parse(); }

}  // namespace jackdaw::tools
