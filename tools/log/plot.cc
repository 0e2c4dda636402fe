#include "tools/log/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace jackdaw::tools {

namespace {

constexpr std::size_t kSteps = 8;
using Blocks = std::array<const char*, kSteps + 1>;
constexpr Blocks kFromLeft = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr Blocks kFromBelow = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// Returns the steps of a bar, at least one for a value above zero.
std::size_t steps_of(double part, std::size_t characters) {
  return static_cast<std::size_t>(std::ceil(part * static_cast<double>(characters * kSteps)));
}

// Returns the text of the bar's character with that number.
const char* block(const Blocks& blocks, std::size_t steps, std::size_t character) {
  return blocks[std::clamp(steps, character * kSteps, (character + 1) * kSteps) - character * kSteps];
}

}  // namespace

std::string horizontal_bar(double part, std::size_t width) {
  std::string bar;
  const std::size_t steps = steps_of(part, width);
  for (std::size_t i = 0; i * kSteps < steps; ++i) bar += block(kFromLeft, steps, i);
  return bar;
}

std::vector<std::string> vertical_bars(std::span<const double> parts, std::size_t lines) {
  std::vector<std::string> text(lines);
  for (const double part : parts) {
    for (std::size_t i = 0; i < lines; ++i)
      text[lines - 1 - i] += block(kFromBelow, steps_of(part, lines), i);
  }
  return text;
}

}  // namespace jackdaw::tools
