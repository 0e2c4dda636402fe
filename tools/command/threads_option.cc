#include "tools/command/threads_option.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "machine/usable_processors.h"
#include "tools/command/input_error.h"

namespace jackdaw::tools {

namespace {

constexpr std::uint32_t kMaximumThreads = 1024;

}  // namespace

std::uint32_t parse_threads(const std::string& text) {
  if (text == "auto") return machine::usable_processors();
  std::uint32_t threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || end != text.data() + text.size() || threads == 0 || threads > kMaximumThreads) {
    throw InputError(
        fmt::format("--threads '{}': must be a whole number from 1 to {}, or auto", text, kMaximumThreads));
  }
  return threads;
}

}  // namespace jackdaw::tools
