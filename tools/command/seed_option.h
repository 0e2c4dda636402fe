// add_seed_option: the option --seed; CLI11's own conversion would turn a negative number into a large one.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>

namespace jackdaw::tools {

/// Adds `--seed`, which takes whole numbers below 2^64 in decimal, to a command.
inline void add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& description) {
  const auto check = [](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return "";
    return "'" + text + "' must be a whole number from 0 to 18446744073709551615";
  };
  command.add_option("--seed", seed, description)->check(CLI::Validator(check, ""))->capture_default_str();
}

}  // namespace jackdaw::tools
