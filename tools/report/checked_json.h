// CheckedJson: a value of an untrusted JSON file.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jackdaw::tools {

/// A value that knows its file and its place there, such as `runs[2].wall_ms`, for messages. It refers to the
/// value it was made of, which must outlive it. All functions throw InputError for wrong contents: "FILE:
/// PLACE: what would be right".
class CheckedJson {
 public:
  CheckedJson(const nlohmann::json& value, std::string file) : CheckedJson(value, std::move(file), "") {}

  [[nodiscard]] bool has(std::string_view key) const { return value_->is_object() && value_->contains(key); }
  /// The value of a key of an object.
  [[nodiscard]] CheckedJson at(std::string_view key) const;
  /// A number, finite, 0 or more.
  [[nodiscard]] const nlohmann::json& number() const;
  [[nodiscard]] const nlohmann::json& text() const;
  /// The elements of a list.
  [[nodiscard]] std::vector<CheckedJson> list() const;
  /// The elements of a list that must have `count`; messages call them `of`.
  [[nodiscard]] std::vector<CheckedJson> list_of(std::size_t count, std::string_view of) const;
  /// The numbers of a list that must have `count`; messages call them `of`.
  [[nodiscard]] nlohmann::json numbers(std::size_t count, std::string_view of) const;

  [[noreturn]] void fail(std::string_view what_would_be_right) const;

 private:
  CheckedJson(const nlohmann::json& value, std::string file, std::string place)
      : value_(&value), file_(std::move(file)), place_(std::move(place)) {}

  const nlohmann::json* value_;
  std::string file_;
  std::string place_;  // empty: the whole file
};

}  // namespace jackdaw::tools
