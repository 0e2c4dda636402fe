#include "tools/graph/v8_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tools/command/printable_name.h"

namespace jackdaw::tools {

namespace {

// A slot is its kind in the highest three bits and its string or index in the others. Larger ones have no
// name; V8's arrays have fewer elements.
constexpr unsigned kNumberBits = 29;
constexpr std::uint32_t kMostNumber = (std::uint32_t{1} << kNumberBits) - 1;

}  // namespace

V8Names::V8Names(const std::vector<std::string>& node_kinds, const std::vector<std::string>& edge_kinds) {
  for (const std::string& kind : node_kinds)
    is_named_kind_.push_back(kind == "closure" || kind == "synthetic");
  constexpr std::array<std::string_view, 6> kKinds = {"",         "context",  "element",
                                                      "property", "internal", "shortcut"};
  for (const std::string& kind : edge_kinds) {
    const auto* const found = std::ranges::find(kKinds, kind);
    edge_kinds_.push_back(found == kKinds.end() ? EdgeKind::other
                                                : static_cast<EdgeKind>(found - kKinds.begin()));
  }
}

void V8Names::add_node(NodeId node, std::uint64_t kind, std::uint64_t name) {
  if (is_named_kind_[kind]) nodes_.emplace_back(node, strings_.insert(name).number);
}

void V8Names::add_slot(std::uint64_t kind, std::uint64_t name) {
  const EdgeKind sort = edge_kinds_[kind];
  const bool is_index = sort == EdgeKind::element;
  const std::uint64_t number = is_index || sort == EdgeKind::other ? name : strings_.insert(name).number;
  const bool has_name = sort != EdgeKind::other && number <= kMostNumber;
  slots_.push_back(
      has_name ? static_cast<std::uint32_t>(sort) << kNumberBits | static_cast<std::uint32_t>(number) : 0);
}

void V8Names::add_string(std::uint64_t number, const std::string& text) {
  const std::uint32_t string = strings_.number_of(number);
  if (string == IdentifierIndex::kAbsent) return;
  texts_.resize(strings_.size());
  texts_[string] = name_to_keep(text);
}

std::uint64_t V8Names::table_bytes() const {
  // Vectors that double hold up to three times their contents while they grow.
  constexpr std::uint64_t kPerString =
      IdentifierIndex::kPeakBytesPerIdentifier + sizeof(std::string) + kLongestName;
  return 3 * (slots_.size() * sizeof(slots_.front()) + nodes_.size() * sizeof(nodes_.front())) +
         strings_.size() * kPerString;
}

std::string V8Names::text(std::uint32_t string) const {
  return string < texts_.size() ? texts_[string] : std::string();
}

std::string V8Names::of_object(const Graph& graph, NodeId object) const {
  const auto found = std::ranges::lower_bound(nodes_, object, {}, &std::pair<NodeId, std::uint32_t>::first);
  if (found == nodes_.end() || found->first != object) return "";
  const std::string name = text(found->second);
  return name.empty() ? "" : fmt::format("{} {}", graph.type_of(object).name, name);
}

std::string V8Names::of_slot(const Graph& graph, NodeId object, std::size_t slot) const {
  const std::uint32_t packed = slots_[graph.slot_begin[object] + slot];
  const std::uint32_t number = packed & kMostNumber;
  switch (static_cast<EdgeKind>(packed >> kNumberBits)) {
    case EdgeKind::element:
      return fmt::format("[{}]", number);
    case EdgeKind::property:
      return fmt::format(".{}", text(number));
    case EdgeKind::context:
      return fmt::format("variable {}", text(number));
    case EdgeKind::internal:
      return fmt::format("internal {}", text(number));
    case EdgeKind::shortcut:
      return text(number);
    case EdgeKind::other:
      break;
  }
  return "";
}

}  // namespace jackdaw::tools
