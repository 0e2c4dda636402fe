// ChosenVariant: one of several policies, chosen by its name at run time and held in place.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "mark/choice.h"

namespace jackdaw::mark {

template <typename Choices>
struct ChosenVariant;

template <typename... Choices>
struct ChosenVariant<std::tuple<Choices...>> {
  using Type = std::variant<typename Choices::Chosen...>;

  /// The choice that `setup.name` names, made from `setup`; an empty name means the first one. Throws
  /// std::invalid_argument, with `what` in the message, when there is none of that name.
  template <typename Setup>
  static Type make(std::string_view what, const Setup& setup) {
    return make_first_of<Setup, Choices...>(what, name_or_default<std::tuple<Choices...>>(setup.name), setup);
  }

 private:
  template <typename Setup, typename First, typename... Rest>
  static Type make_first_of(std::string_view what, std::string_view name, const Setup& setup) {
    if (name == First::kName) return Type(std::in_place_type<typename First::Chosen>, setup);
    if constexpr (sizeof...(Rest) > 0) return make_first_of<Setup, Rest...>(what, name, setup);
    throw std::invalid_argument("unknown " + std::string(what) + " '" + std::string(name) + "'");
  }
};

}  // namespace jackdaw::mark
