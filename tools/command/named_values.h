// Tables of names and values, such as mark::kGrants, for the command line and the reports.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jackdaw::tools {

template <typename Value, std::size_t kSize>
using NamedValues = std::array<std::pair<std::string_view, Value>, kSize>;

/// Names as the command line's library takes them.
inline std::vector<std::string> strings(const std::vector<std::string_view>& names) {
  return {names.begin(), names.end()};
}

template <typename Value, std::size_t kSize>
std::vector<std::string> names_in(const NamedValues<Value, kSize>& table) {
  std::vector<std::string> names;
  for (const auto& [name, value] : table) names.emplace_back(name);
  return names;
}

/// The value must be in the table.
template <typename Value, std::size_t kSize>
std::string_view name_of(const NamedValues<Value, kSize>& table, Value value) {
  return std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.second == value; })
      ->first;
}

/// The name must be in the table.
template <typename Value, std::size_t kSize>
Value value_of(const NamedValues<Value, kSize>& table, std::string_view name) {
  return std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.first == name; })
      ->second;
}

}  // namespace jackdaw::tools
