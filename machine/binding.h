// Binding: the processors that mark threads are bound to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace jackdaw::machine {

/// How closely mark threads are bound.
enum class Binding : std::uint8_t {
  automatic,  ///< node where there are several memory nodes, otherwise none
  none,       ///< no processor: the system moves them about
  node,       ///< the processors of their memory node
  core,       ///< the processors of one core
};

/// Their names; the first is the default.
inline constexpr std::array<std::pair<std::string_view, Binding>, 4> kBindings{{{"auto", Binding::automatic},
                                                                                {"none", Binding::none},
                                                                                {"node", Binding::node},
                                                                                {"core", Binding::core}}};

/// The binding of that name, if there is one.
constexpr std::optional<Binding> parse_binding(std::string_view name) {
  for (const auto& [known, binding] : kBindings) {
    if (known == name) return binding;
  }
  return std::nullopt;
}

}  // namespace jackdaw::machine
