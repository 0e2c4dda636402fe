#include "tools/log/log_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <istream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "tools/command/input_error.h"

namespace jackdaw::tools {

namespace {

constexpr std::string_view kPrefix = "jackdaw: ";
constexpr const char* kExpected =
    "no line of a collection log; expected 'jackdaw: collection=...' or {\"collection\":...}";

using Fields = std::map<std::string, std::string, std::less<>>;

Fields fields_of_words(std::string_view line) {
  if (!line.starts_with(kPrefix)) throw InputError(kExpected);
  Fields fields;
  for (line.remove_prefix(kPrefix.size()); !line.empty();) {
    const std::string_view word = line.substr(0, line.find(' '));
    const std::size_t sign = word.find('=');
    if (sign == std::string_view::npos) throw InputError(kExpected);
    fields.emplace(word.substr(0, sign), word.substr(sign + 1));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
  }
  return fields;
}

Fields fields_of_json(std::string_view line) {
  // Nested values are not allowed, and would take as much stack as they are deep.
  const auto flat = [](int depth, nlohmann::json::parse_event_t event, const nlohmann::json&) {
    if (depth > 0 && (event == nlohmann::json::parse_event_t::object_start ||
                      event == nlohmann::json::parse_event_t::array_start))
      throw InputError(kExpected);
    return true;
  };
  const nlohmann::json object = nlohmann::json::parse(line, flat, false);
  if (!object.is_object()) throw InputError(kExpected);
  Fields fields;
  for (const auto& [name, value] : object.items())
    fields.emplace(name, value.is_string() ? value.get<std::string>() : value.dump());
  return fields;
}

// Reads fields, each a number or a word; throws InputError for others.
class FieldReader {
 public:
  explicit FieldReader(Fields fields) : fields_(std::move(fields)) {}

  [[nodiscard]] bool has(std::string_view name) const { return fields_.find(name) != fields_.end(); }

  template <typename Number>
  [[nodiscard]] Number number(std::string_view name) const {
    const std::string& text = text_of(name);
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) fail(name, "a number");
    return value;
  }
  // The bound keeps milliseconds and MiB within 64 bits of ns or bytes.
  [[nodiscard]] double fraction(std::string_view name) const {
    constexpr double kMost = 9e12;
    const auto value = number<double>(name);
    if (!(value >= 0 && value <= kMost)) fail(name, "a number from 0 to 9e12");
    return value;
  }
  [[nodiscard]] std::chrono::nanoseconds milliseconds(std::string_view name) const {
    return std::chrono::nanoseconds(std::llround(fraction(name) * 1e6));
  }
  [[nodiscard]] std::uint64_t mib(std::string_view name) const {
    return static_cast<std::uint64_t>(std::round(fraction(name) * (1U << 20)));
  }
  [[nodiscard]] gc::CollectionReason reason(std::string_view name) const {
    using gc::CollectionReason;
    for (const CollectionReason reason :
         {CollectionReason::allocation, CollectionReason::finalizers, CollectionReason::out_of_memory,
          CollectionReason::pressure, CollectionReason::request}) {
      if (text_of(name) == gc::name_of(reason)) return reason;
    }
    fail(name, "allocation, finalizers, out-of-memory, memory-pressure or request");
  }

 private:
  [[nodiscard]] const std::string& text_of(std::string_view name) const {
    const auto field = fields_.find(name);
    if (field == fields_.end()) throw InputError(fmt::format("'{}' is missing", name));
    return field->second;
  }
  [[noreturn]] void fail(std::string_view name, const char* demand) const {
    throw InputError(fmt::format("'{}' must be {}", name, demand));
  }

  Fields fields_;
};

gc::ConcurrentRecord read_concurrent(const FieldReader& fields) {
  return {.first_pause = fields.milliseconds("first_pause_ms"),
          .marking = fields.milliseconds("concurrent_ms"),
          .stops = fields.number<std::uint32_t>("stops"),
          .longest_stop = fields.milliseconds("longest_stop_ms"),
          .rounds = fields.number<std::uint32_t>("rounds"),
          .written_bytes = fields.mib("written_mib")};
}

[[noreturn]] void fail_with_errno(const std::string& path) {
  throw InputError(fmt::format("{}: cannot be read ({}); name a collection log", path,
                               std::generic_category().message(errno)));
}

// Returns where a collection's line begins; the program may have written something before it without an end
// of line.
std::size_t start_of_record(std::string_view line) {
  return std::min(line.find("jackdaw: collection="), line.find(R"({"collection":)"));
}

// Returns nothing at the end. A line that is longer than any collection's is returned empty.
std::optional<std::string_view> next_line(std::istream& file, std::span<char> buffer) {
  file.getline(buffer.data(), static_cast<std::streamsize>(buffer.size()));
  const auto length = static_cast<std::size_t>(file.gcount());
  if (file.bad() || (file.eof() && length == 0)) return std::nullopt;
  if (file.eof()) return std::string_view(buffer.data(), length);
  if (!file.fail()) return std::string_view(buffer.data(), length - 1);
  file.clear();
  file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  return std::string_view();
}

}  // namespace

gc::CollectionRecord read_log_line(std::string_view line) {
  const FieldReader fields(line.starts_with('{') ? fields_of_json(line) : fields_of_words(line));
  gc::CollectionRecord record{.number = fields.number<std::uint64_t>("collection"),
                              .reason = fields.reason("reason"),
                              .pause = fields.milliseconds("pause_ms"),
                              .used_bytes_before = fields.mib("before_mib"),
                              .live_bytes = fields.mib("live_mib"),
                              .heap_bytes = fields.mib("heap_mib"),
                              .mark_threads = fields.number<std::uint32_t>("mark_threads"),
                              .steal_percent = fields.fraction("stolen_percent"),
                              .stopped_threads = fields.number<std::uint32_t>("stopped_threads"),
                              .markers = fields.number<std::uint32_t>("markers"),
                              .at = fields.milliseconds("at_ms"),
                              .process = fields.number<std::uint32_t>("pid")};
  // Earlier versions did not write these.
  if (fields.has("free_mib")) record.free_bytes = fields.mib("free_mib");
  if (fields.has("given_back_mib")) record.given_back_bytes = fields.mib("given_back_mib");
  if (fields.has("processor_ms")) record.processor_time = fields.milliseconds("processor_ms");
  if (fields.has("concurrent_ms")) record.concurrent = read_concurrent(fields);
  return record;
}

std::vector<gc::CollectionRecord> read_log(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail_with_errno(path);
  std::vector<gc::CollectionRecord> records;
  std::array<char, 2 * gc::kLongestLogLine> buffer;
  for (std::size_t number = 1; const auto line = next_line(file, buffer); ++number) {
    const std::size_t start = start_of_record(*line);
    if (start == std::string_view::npos) continue;
    try {
      records.push_back(read_log_line(line->substr(start)));
    } catch (const InputError& error) {
      if (file.eof()) break;  // the disk was full, or the program was killed
      throw InputError(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  if (file.bad()) fail_with_errno(path);
  if (records.empty())
    throw InputError(
        fmt::format("{}: has no line of a collection; name the log of a program that collected", path));
  return records;
}

}  // namespace jackdaw::tools
