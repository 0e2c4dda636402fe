#include "tools/command/provenance.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "machine/usable_processors.h"
#include "tools/command/printable_name.h"

namespace jackdaw::tools {

namespace {

// Returns the processor's name, which only x86's kernel tells.
std::string processor_name(const utsname& system) {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return system.machine;
}

// Words are quoted where a shell would take them apart.
std::string command_line() {
  std::ifstream words("/proc/self/cmdline");
  std::string line;
  for (std::string word; std::getline(words, word, '\0');) {
    const bool is_plain =
        !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?[]{}~`#!") == std::string::npos;
    if (!line.empty()) line += ' ';
    for (std::size_t quote = 0; (quote = word.find('\'', quote)) != std::string::npos; quote += 4)
      word.replace(quote, 1, R"('\'')");
    line += is_plain ? word : fmt::format("'{}'", word);
  }
  return line;
}

}  // namespace

nlohmann::ordered_json provenance() {
  utsname system{};
  uname(&system);
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::uint32_t processors = machine::usable_processors();
  return {{"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
          {"machine", fmt::format("{}, {} usable processor{}", processor_name(system), processors,
                                  processors == 1 ? "" : "s")},
          {"kernel", fmt::format("{} {}", system.sysname, system.release)},
          {"version", JACKDAW_VERSION},
          {"command", printable(command_line())}};
}

}  // namespace jackdaw::tools
