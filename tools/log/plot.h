// Plots for a terminal: bars and columns of Unicode's block elements in UTF-8, whose characters have eight
// steps each, or of ASCII.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace jackdaw::tools {

/// The characters that plots are made of.
enum class PlotLetters { utf8, ascii };

/// Draws a bar for `part`, 0 to 1, of `width` characters; part of the last may be blank.
std::string horizontal_bar(double part, std::size_t width, PlotLetters letters);

/// Draws a column, a character wide, for each part from 0 to 1, in `lines` lines from the top down.
std::vector<std::string> vertical_bars(std::span<const double> parts, std::size_t lines, PlotLetters letters);

}  // namespace jackdaw::tools
