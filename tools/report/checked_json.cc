#include "tools/report/checked_json.h"

#include <fmt/format.h>

#include <utility>

#include "tools/command/input_error.h"

namespace jackdaw::tools {

CheckedJson CheckedJson::at(std::string_view key) const {
  if (!value_->is_object()) fail("an object belongs here");
  std::string place = place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key);
  const auto found = value_->find(key);
  if (found == value_->end()) throw InputError(fmt::format("{}: {} is missing", file_, place));
  return {*found, file_, std::move(place)};
}

const nlohmann::json& CheckedJson::number() const {
  if (!value_->is_number() || !(value_->get<double>() >= 0))
    fail("a number that is not negative belongs here");
  return *value_;
}

const nlohmann::json& CheckedJson::text() const {
  if (!value_->is_string()) fail("a text belongs here");
  return *value_;
}

std::vector<CheckedJson> CheckedJson::list() const {
  if (!value_->is_array()) fail("a list belongs here");
  std::vector<CheckedJson> elements;
  elements.reserve(value_->size());
  for (const nlohmann::json& element : *value_)
    elements.push_back({element, file_, fmt::format("{}[{}]", place_, elements.size())});
  return elements;
}

std::vector<CheckedJson> CheckedJson::list_of(std::size_t count, std::string_view of) const {
  std::vector<CheckedJson> elements = list();
  if (elements.size() != count)
    fail(fmt::format("{} elements; there must be {}, one for each {}", elements.size(), count, of));
  return elements;
}

nlohmann::json CheckedJson::numbers(std::size_t count, std::string_view of) const {
  nlohmann::json numbers = nlohmann::json::array();
  for (const CheckedJson& element : list_of(count, of)) numbers.push_back(element.number());
  return numbers;
}

void CheckedJson::fail(std::string_view what_would_be_right) const {
  throw InputError(
      fmt::format("{}: {}: {}", file_, place_.empty() ? "the whole" : place_, what_would_be_right));
}

}  // namespace jackdaw::tools
