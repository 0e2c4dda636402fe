#include "tools/log/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace jackdaw::tools {

namespace {

using Blocks = std::span<const char* const>;  // a character for each number of steps
constexpr std::array kFromLeft = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array kFromBelow = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array kAsciiFromLeft = {" ", "#"};
constexpr std::array kAsciiFromBelow = {" ", ".", ":", "#"};

// Returns the steps of a bar, at least one for a value above zero.
std::size_t steps_of(double part, std::size_t characters, Blocks blocks) {
  return static_cast<std::size_t>(std::ceil(part * static_cast<double>(characters * (blocks.size() - 1))));
}

// Returns the text of the bar's character with that number.
const char* block(Blocks blocks, std::size_t steps, std::size_t character) {
  const std::size_t below = character * (blocks.size() - 1);
  return blocks[std::clamp(steps, below, below + blocks.size() - 1) - below];
}

}  // namespace

std::string horizontal_bar(double part, std::size_t width, PlotLetters letters) {
  const Blocks blocks = letters == PlotLetters::utf8 ? Blocks(kFromLeft) : Blocks(kAsciiFromLeft);
  std::string bar;
  const std::size_t steps = steps_of(part, width, blocks);
  for (std::size_t i = 0; i * (blocks.size() - 1) < steps; ++i) bar += block(blocks, steps, i);
  return bar;
}

std::vector<std::string> vertical_bars(std::span<const double> parts, std::size_t lines,
                                       PlotLetters letters) {
  const Blocks blocks = letters == PlotLetters::utf8 ? Blocks(kFromBelow) : Blocks(kAsciiFromBelow);
  std::vector<std::string> text(lines);
  for (const double part : parts) {
    for (std::size_t i = 0; i < lines; ++i)
      text[lines - 1 - i] += block(blocks, steps_of(part, lines, blocks), i);
  }
  return text;
}

}  // namespace jackdaw::tools
