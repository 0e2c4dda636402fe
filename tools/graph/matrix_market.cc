#include "tools/graph/matrix_market.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "tools/graph/file_edges.h"
#include "tools/graph/text_lines.h"

namespace jackdaw::tools {

namespace {

struct Field {
  std::string_view name;
  unsigned values = 0;  ///< of an entry
  std::string_view entry;
};
constexpr std::array<Field, 5> kFields{{{"pattern", 0, "ROW COLUMN"},
                                        {"real", 1, "ROW COLUMN VALUE"},
                                        {"integer", 1, "ROW COLUMN VALUE"},
                                        {"unsigned-integer", 1, "ROW COLUMN VALUE"},
                                        {"complex", 2, "ROW COLUMN REAL IMAGINARY"}}};

struct Symmetry {
  std::string_view name;
  bool is_general = false;
  bool has_diagonal = true;
};
constexpr std::array<Symmetry, 4> kSymmetries{
    {{"general", true}, {"symmetric"}, {"skew-symmetric", false, false}, {"hermitian"}}};

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

/// Returns the one of `values` whose name is the line's next word.
template <typename Value, std::size_t kCount>
Value take_one_of(const std::array<Value, kCount>& values, TextLines& lines, const char* message) {
  const std::string_view word = lines.take_word();
  const auto* const found = std::ranges::find_if(
      values, [word](const Value& value) { return equal_ignoring_case(value.name, word); });
  if (found == values.end()) lines.fail(message);
  return *found;
}

class MatrixReader {
 public:
  MatrixReader(ByteSource& source, const GraphOptions& options)
      : lines_(source, "%"), edges_(source, options), with_identifiers_(options.as_in_file) {}

  Graph read() {
    read_banner();
    read_size();
    std::uint64_t entries = 0;
    for (; lines_.next(); ++entries) {
      if (entries == entries_)
        lines_.fail(fmt::format("more than the {} entries told of; must be as many", entries_));
      read_entry();
      edges_.require_memory_so_far(rows_, 0);
    }
    if (entries != entries_)
      lines_.fail(fmt::format("the file ends after {} of {} entries; must have them all", entries, entries_));
    Graph graph = edges_.make_graph(rows_);
    if (with_identifiers_) {
      graph.identifiers.resize(rows_);
      std::iota(graph.identifiers.begin(), graph.identifiers.end(), 1);
    }
    return graph;
  }

 private:
  void read_banner() {
    const bool is_matrix = lines_.next_of_all() &&
                           equal_ignoring_case(lines_.take_word(), "%%MatrixMarket") &&
                           equal_ignoring_case(lines_.take_word(), "matrix");
    if (!is_matrix) lines_.fail("not a Matrix Market file; must begin with '%%MatrixMarket matrix'");
    const std::string_view format = lines_.take_word();
    if (equal_ignoring_case(format, "array"))
      lines_.fail("a dense matrix, in the format 'array'; must be 'coordinate' to be a graph");
    if (!equal_ignoring_case(format, "coordinate")) lines_.fail("the format must be 'coordinate'");
    field_ =
        take_one_of(kFields, lines_, "the field must be pattern, real, integer, unsigned-integer or complex");
    symmetry_ = take_one_of(kSymmetries, lines_,
                            "the symmetry must be general, symmetric, skew-symmetric or Hermitian");
  }

  void read_size() {
    const bool is_there = lines_.next();
    const auto rows = lines_.take_whole_number();
    const auto columns = lines_.take_whole_number();
    const auto entries = lines_.take_whole_number();
    if (!is_there || !rows || !columns || !entries || !lines_.at_end_of_line())
      lines_.fail("must be three whole numbers, ROWS, COLUMNS and ENTRIES");
    if (*rows != *columns)
      lines_.fail(
          fmt::format("a matrix of {} rows and {} columns; must be square to be a graph", *rows, *columns));
    if (*rows == 0 || *rows > kMaximumNodes)
      lines_.fail(fmt::format("a matrix of {} rows; must have 1 to {}", *rows, kMaximumNodes));
    rows_ = *rows;
    entries_ = *entries;
    edges_.require_memory_so_far(rows_, 0);
  }

  void read_entry() {
    const auto row = lines_.take_whole_number();
    const auto column = lines_.take_whole_number();
    bool is_entry = row && column;
    for (unsigned value = 0; value < field_.values; ++value) is_entry = lines_.take_number() && is_entry;
    if (!is_entry || !lines_.at_end_of_line())
      lines_.fail(fmt::format("must be an entry of a {} matrix: {}", field_.name, field_.entry));
    if (*row < 1 || *row > rows_ || *column < 1 || *column > rows_)
      lines_.fail(fmt::format("an entry in row {}, column {}; must be from 1 to {}", *row, *column, rows_));
    add_entry(*row, *column);
  }

  void add_entry(std::uint64_t row, std::uint64_t column) {
    const auto from = static_cast<NodeId>(row - 1);
    const auto to = static_cast<NodeId>(column - 1);
    edges_.add(from, to);
    if (symmetry_.is_general) return;
    if (row < column || (row == column && !symmetry_.has_diagonal))
      lines_.fail(fmt::format("an entry in row {}, column {}; those of a {} matrix must be {} the diagonal",
                              row, column, symmetry_.name, symmetry_.has_diagonal ? "below or on" : "below"));
    if (row != column) edges_.add(to, from);
  }

  TextLines lines_;
  FileEdges edges_;
  bool with_identifiers_;  ///< the rows' numbers
  Field field_;
  Symmetry symmetry_;
  std::uint64_t rows_ = 0;
  std::uint64_t entries_ = 0;
};

}  // namespace

Graph read_matrix_market(const std::string& path, const GraphOptions& options) {
  ByteSource source(path);
  return read_matrix_market(source, options);
}

Graph read_matrix_market(ByteSource& source, const GraphOptions& options) {
  return MatrixReader(source, options).read();
}

}  // namespace jackdaw::tools
