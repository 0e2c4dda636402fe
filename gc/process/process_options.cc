#include "gc/process/process_options.h"

#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/warn.h"
#include "machine/usable_processors.h"

namespace jackdaw::gc {

namespace {

constexpr std::string_view kPrefix = "JACKDAW_";
constexpr std::uint64_t kMostMarkers = 64;
constexpr std::uint64_t kLargestDivisor = 1000;
constexpr std::uint64_t kMostStopSeconds = 86400;
constexpr std::uint64_t kLongestPauseMilliseconds = 10000;

// Consumes the digits at the front of `text`.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<std::uint64_t> number_between(std::uint64_t least, std::uint64_t most, std::string_view text) {
  const auto number = take_number(text);
  return number && text.empty() && least <= *number && *number <= most ? number : std::nullopt;
}

// Reads a size of at least one byte: a number, perhaps with k, m or g for powers of 1024.
std::optional<std::size_t> byte_size(std::string_view text) {
  constexpr std::string_view kSuffixes = "kmg";
  const auto number = take_number(text);
  if (!number || *number == 0 || text.size() > 1) return std::nullopt;
  unsigned shift = 0;
  if (!text.empty()) {
    const std::size_t suffix = kSuffixes.find(static_cast<char>(std::tolower(text.front())));
    if (suffix == std::string_view::npos) return std::nullopt;
    shift = 10 * static_cast<unsigned>(suffix + 1);
  }
  if (*number > std::numeric_limits<std::size_t>::max() >> shift) return std::nullopt;
  return *number << shift;
}

// Returns the number of a signal that a program may handle, given its name, with or without SIG, or its
// number.
std::optional<int> signal_number(std::string_view text) {
  if (text.starts_with("SIG")) text.remove_prefix(3);
  const auto number = number_between(1, static_cast<std::uint64_t>(SIGRTMAX), text);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    const char* const name = sigabbrev_np(signal);
    if (signal == SIGKILL || signal == SIGSTOP) continue;
    if (number ? *number == static_cast<std::uint64_t>(signal) : name != nullptr && text == name)
      return signal;
  }
  return std::nullopt;
}

// Stores a value in the field, if it was read.
template <typename Value, typename Field>
bool store(std::optional<Value> value, Field& field) {
  if (value) field = static_cast<Field>(*value);
  return value.has_value();
}

std::optional<heap::HugePageUse> huge_page_use(std::string_view text) {
  if (text == "auto") return heap::HugePageUse::automatic;
  if (text == "always") return heap::HugePageUse::always;
  if (text == "never") return heap::HugePageUse::never;
  return std::nullopt;
}

bool store_memory_placement(std::string_view text, MemoryPlacement& field) {
  try {
    field = parse_memory_placement(text);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// Any value but 0 turns a switch on, as in libgc.
bool is_on(std::string_view text) { return text != "0"; }

template <bool ProcessOptions::*kField>
bool store_switch(std::string_view text, ProcessOptions& options) {
  options.*kField = is_on(text);
  return true;
}

template <std::string ProcessOptions::*kField>
bool store_path(std::string_view text, ProcessOptions& options) {
  options.*kField = text;
  return true;
}

bool store_memory_limit(std::string_view text, ProcessOptions& options) {
  bool is_good = text == "auto" || text == "none";
  if (!is_good && text.ends_with('%')) {
    is_good = store(number_between(1, 100, text.substr(0, text.size() - 1)), options.memory_share.percent);
  } else if (!is_good) {
    is_good = store(byte_size(text), options.memory_share.process_bytes);
  }
  if (is_good) options.fits_memory = text != "none";
  return is_good;
}

bool store_log(std::string_view text, ProcessOptions& options) {
  if (text != "0" && text != "1" && text != "json") return false;
  options.log_collections = text != "0";
  options.log_spelling = text == "json" ? LogSpelling::json : LogSpelling::words;
  return true;
}

// Reads FILE or FILE,every=BYTES.
bool store_profile(std::string_view text, ProcessOptions& options) {
  constexpr std::string_view kEvery = ",every=";
  const std::size_t comma = text.rfind(kEvery);
  if (comma != std::string_view::npos) {
    if (!store(byte_size(text.substr(comma + kEvery.size())), options.profile_every)) return false;
    text = text.substr(0, comma);
  }
  options.profile_path = text;
  return !text.empty();
}

constexpr std::string_view kByteSize = "must be a number of bytes, at least 1, perhaps with k, m or g";

/// One option and the variables that set it. Of several that are set, the first counts.
struct Setting {
  std::array<const char*, 3> names;
  bool (*read)(std::string_view text, ProcessOptions& options);    // false, changing nothing, for a bad value
  std::string_view demand = {};                                    // what a value must be
  std::string (*in_use)(const ProcessOptions& options) = nullptr;  // the value in use after a bad one
};

constexpr std::array<Setting, 29> kSettings{{
    {{"JACKDAW_MARKERS", "GC_MARKERS", "GC_NPROCS"},
     [](std::string_view text, ProcessOptions& options) {
       return store(number_between(1, kMostMarkers, text), options.marking.engine.threads);
     },
     "must be a number from 1 to 64",
     [](const ProcessOptions& options) { return std::to_string(options.marking.engine.threads); }},
    // The last of the next three that chooses a way counts.
    {{"GC_DISABLE_INCREMENTAL"},
     [](std::string_view text, ProcessOptions& options) {
       if (is_on(text)) options.marks_concurrently = MarksConcurrently::never;
       return true;
     }},
    {{"GC_ENABLE_INCREMENTAL"},
     [](std::string_view text, ProcessOptions& options) {
       if (is_on(text)) options.marks_concurrently = MarksConcurrently::always;
       return true;
     }},
    {{"JACKDAW_CONCURRENT"},
     [](std::string_view text, ProcessOptions& options) {
       options.marks_concurrently = is_on(text) ? MarksConcurrently::always : MarksConcurrently::never;
       return true;
     }},
    {{"JACKDAW_CONCURRENT_MARKERS"},
     [](std::string_view text, ProcessOptions& options) {
       return store(number_between(1, kMostMarkers, text), options.concurrent_markers);
     },
     "must be a number from 1 to 64",
     [](const ProcessOptions&) { return std::string("a quarter of the processors"); }},
    {{"JACKDAW_PAUSE_MS", "GC_PAUSE_TIME_TARGET"},
     [](std::string_view text, ProcessOptions& options) {
       return store(number_between(0, kLongestPauseMilliseconds, text), options.pause_target);
     },
     "must be a number from 0 to 10000",
     [](const ProcessOptions& options) { return std::to_string(options.pause_target.count()); }},
    {{"JACKDAW_BIND"},
     [](std::string_view text, ProcessOptions& options) {
       return store(machine::parse_binding(text), options.marking.binding);
     },
     "must be auto, none, node or core",
     [](const ProcessOptions&) { return std::string(machine::kBindings.front().first); }},
    {{"JACKDAW_MEMORY"},
     [](std::string_view text, ProcessOptions& options) {
       return store_memory_placement(text, options.memory);
     },
     "must be auto, system, local, interleave or node:K, K being a memory node that is there",
     [](const ProcessOptions& options) { return to_string(options.memory); }},
    {{"JACKDAW_HUGE_PAGES"},
     [](std::string_view text, ProcessOptions& options) {
       return store(huge_page_use(text), options.huge_pages);
     },
     "must be auto, always or never",
     [](const ProcessOptions&) { return std::string("auto"); }},
    {{"JACKDAW_MAXIMUM_HEAP_SIZE", "GC_MAXIMUM_HEAP_SIZE"},
     [](std::string_view text, ProcessOptions& options) {
       return store(byte_size(text), options.heap_limit_bytes);
     },
     kByteSize,
     [](const ProcessOptions&) { return std::string("no limit"); }},
    {{"JACKDAW_MEMORY_LIMIT"},
     store_memory_limit,
     "must be auto, a number of bytes (perhaps with k, m or g), a percentage such as 75%, or none",
     [](const ProcessOptions& options) { return std::string(options.fits_memory ? "auto" : "none"); }},
    {{"JACKDAW_INITIAL_HEAP_SIZE", "GC_INITIAL_HEAP_SIZE"},
     [](std::string_view text, ProcessOptions& options) {
       return store(byte_size(text), options.growth.minimum_heap_bytes);
     },
     kByteSize,
     [](const ProcessOptions& options) { return std::to_string(options.growth.minimum_heap_bytes); }},
    {{"JACKDAW_FREE_SPACE_DIVISOR", "GC_FREE_SPACE_DIVISOR"},
     [](std::string_view text, ProcessOptions& options) {
       return store(number_between(1, kLargestDivisor, text), options.growth.free_space_divisor);
     },
     "must be a number from 1 to 1000",
     [](const ProcessOptions& options) { return std::to_string(options.growth.free_space_divisor); }},
    {{"JACKDAW_MINIMUM_BUDGET"},
     [](std::string_view text, ProcessOptions& options) {
       return store(byte_size(text), options.growth.minimum_budget_bytes);
     },
     kByteSize,
     [](const ProcessOptions& options) { return std::to_string(options.growth.minimum_budget_bytes); }},
    {{"JACKDAW_BYTES_PER_FINALIZER"},
     [](std::string_view text, ProcessOptions& options) {
       if (text == "0") options.growth.bytes_per_finalizer = 0;
       return text == "0" || store(byte_size(text), options.growth.bytes_per_finalizer);
     },
     "must be a number of bytes, perhaps with k, m or g",
     [](const ProcessOptions& options) { return std::to_string(options.growth.bytes_per_finalizer); }},
    {{"JACKDAW_DONT_GC", "GC_DONT_GC"}, store_switch<&ProcessOptions::starts_disabled>},
    {{"JACKDAW_ALL_INTERIOR_POINTERS", "GC_ALL_INTERIOR_POINTERS"},
     store_switch<&ProcessOptions::all_interior_pointers>},
    {{"JACKDAW_STOP_SECONDS"},
     [](std::string_view text, ProcessOptions& options) {
       return store(number_between(0, kMostStopSeconds, text), options.stop_patience);
     },
     "must be a number from 0 to 86400",
     [](const ProcessOptions& options) { return std::to_string(options.stop_patience.count()); }},
    // JACKDAW_LOG has precedence over libgc's variables, which are switches.
    {{"GC_PRINT_STATS", "GC_PRINT_VERBOSE_STATS"}, store_switch<&ProcessOptions::log_collections>},
    {{"JACKDAW_LOG"},
     store_log,
     "must be 0, 1 or json",
     [](const ProcessOptions& options) { return std::string(options.log_collections ? "1" : "0"); }},
    {{"JACKDAW_LOG_FILE", "GC_LOG_FILE"}, store_path<&ProcessOptions::log_path>},
    {{"JACKDAW_METRICS"}, store_path<&ProcessOptions::metrics_path>},
    {{"JACKDAW_DUMP"}, store_path<&ProcessOptions::dump_path>},
    {{"JACKDAW_TRACE"}, store_path<&ProcessOptions::trace_path>},
    {{"JACKDAW_PROFILE"},
     store_profile,
     "must be a path, perhaps with ,every= and a number of bytes such as 512k",
     [](const ProcessOptions&) { return std::string("none"); }},
    {{"JACKDAW_VERIFY"}, store_switch<&ProcessOptions::verifies>},
    {{"JACKDAW_POISON"}, store_switch<&ProcessOptions::poisons>},
    {{"JACKDAW_STRESS"},
     [](std::string_view text, ProcessOptions& options) {
       return store(number_between(0, std::numeric_limits<std::uint64_t>::max(), text), options.stress_seed);
     },
     "must be a number, the seed, or 0 for no stress",
     [](const ProcessOptions& options) { return std::to_string(options.stress_seed); }},
    {{"JACKDAW_DUMP_SIGNAL"},
     [](std::string_view text, ProcessOptions& options) {
       return store(signal_number(text), options.dump_signal);
     },
     "must be the name or the number of a signal that may have a handler, such as USR2",
     [](const ProcessOptions&) { return std::string("none, so that each collection leaves a dump"); }},
}};

void apply(const Setting& setting, ProcessOptions& options) {
  for (const char* const name : setting.names) {
    const char* const text = name == nullptr ? nullptr : secure_getenv(name);
    if (text == nullptr) continue;
    if (!setting.read(text, options)) {
      base::warn(std::string(name) + "='" + text + "': " + std::string(setting.demand) + "; using " +
                 setting.in_use(options));
    }
    return;
  }
}

// These variables are read by jackdaw run and by the scripts that measure programs.
constexpr std::array<std::string_view, 2> kNamesOfOthers{"JACKDAW_LIBGC_FOLDER",
                                                         "JACKDAW_CLIENT_COLLECTIONS"};

// Calls `function(std::string_view)` for all names of variables that begin with the prefix.
template <typename Function>
void for_each_known_name(Function function) {
  for (const Setting& setting : kSettings) {
    for (const char* const name : setting.names) {
      if (name != nullptr && std::string_view(name).starts_with(kPrefix)) function(name);
    }
  }
  for (const std::string_view name : kNamesOfOthers) function(name);
}

// Returns the edit distance (Levenshtein): the characters to insert, remove or change.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({changed, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

// Prints one line about a variable that is not read.
void tell_if_unknown(std::string_view name) {
  std::string_view nearest;
  std::size_t least = std::string_view::npos;
  for_each_known_name([&](std::string_view known) {
    const std::size_t changes = distance(name, known);
    if (changes < least) nearest = known;
    least = std::min(least, changes);
  });
  if (least == 0) return;
  constexpr std::size_t kMostChanges = 4;
  base::warn("the variable " + std::string(name) + " is not known, and is ignored" +
             (least <= kMostChanges ? "; perhaps " + std::string(nearest) + " is meant" : ""));
}

void tell_of_unknown_variables() {
  if (environ == nullptr) return;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string name(*variable, std::strcspn(*variable, "="));
    // In a program with more rights than its user all variables are ignored.
    if (name.starts_with(kPrefix) && secure_getenv(name.c_str()) != nullptr) tell_if_unknown(name);
  }
}

// Prints one line about a variable that has no effect without another.
void tell_if_alone(const char* name, const char* needed, std::string_view values) {
  if (secure_getenv(name) == nullptr || secure_getenv(needed) != nullptr) return;
  base::warn(std::string(name) + " is set, but " + needed + " is not, which must be " + std::string(values) +
             "; it has no effect");
}

}  // namespace

ProcessOptions default_options() {
  ProcessOptions options;
  const std::uint32_t processors = machine::usable_processors();
  options.marking.engine.processors = processors;
  options.marking.engine.threads = std::clamp(processors, 1U, static_cast<std::uint32_t>(kMostMarkers));
  return options;
}

ProcessOptions options_from_environment(ProcessOptions options) {
  for (const Setting& setting : kSettings) apply(setting, options);
  tell_of_unknown_variables();
  if (!options.log_collections) tell_if_alone("JACKDAW_LOG_FILE", "JACKDAW_LOG", "1 or json");
  tell_if_alone("JACKDAW_DUMP_SIGNAL", "JACKDAW_DUMP", "a path");
  options.growth.minimum_heap_bytes =
      std::min<std::uint64_t>(options.growth.minimum_heap_bytes, options.heap_limit_bytes);
  return options;
}

}  // namespace jackdaw::gc
