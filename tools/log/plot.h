// Plots for a terminal: bars and columns of Unicode's block elements in UTF-8; each character has eight
// steps.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace jackdaw::tools {

/// Draws a bar for `part`, 0 to 1, of `width` characters; part of the last may be blank.
std::string horizontal_bar(double part, std::size_t width);

/// Draws a column, a character wide, for each part from 0 to 1, in `lines` lines from the top down.
std::vector<std::string> vertical_bars(std::span<const double> parts, std::size_t lines);

}  // namespace jackdaw::tools
