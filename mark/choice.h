// Choice: a type by the name that people select it with, so that a list of types is a list of choices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace jackdaw::mark {

/// A name as part of a type.
template <std::size_t kSize>
struct Name {
  char text[kSize]{};

  // Implicit, so that a literal can stand where a name is asked for.
  // NOLINTNEXTLINE(google-explicit-constructor)
  consteval Name(const char (&literal)[kSize]) { std::copy_n(literal, kSize, text); }
};

/// A choice by name: of a policy or detector, and of a queue, which is a template over its tasks.
template <Name name, typename ChosenType>
struct Choice {
  static constexpr std::string_view kName{name.text};
  using Chosen = ChosenType;
};
template <Name name, template <typename> typename QueueTemplate>
struct QueueChoice {
  static constexpr std::string_view kName{name.text};
  template <typename Task>
  using Queue = QueueTemplate<Task>;
};

/// The names of all choices of a kind, the default first.
template <typename... Choices>
std::vector<std::string_view> names_of(std::type_identity<std::tuple<Choices...>>) {
  return {Choices::kName...};
}

/// `name`, or the default's when it is empty.
template <typename Choices>
std::string_view name_or_default(std::string_view name) {
  return name.empty() ? std::tuple_element_t<0, Choices>::kName : name;
}

}  // namespace jackdaw::mark
