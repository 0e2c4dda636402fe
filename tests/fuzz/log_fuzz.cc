// libFuzzer target: any bytes at all as a collection log. A log that is accepted can be summed up, written
// and read.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tools/command/input_error.h"
#include "tools/log/log_line.h"
#include "tools/log/log_report.h"

namespace {

using jackdaw::gc::CollectionRecord;

[[noreturn]] void report(const char* defect, const std::string& message) {
  std::fprintf(stderr, "defect: %s (%s)\n", defect, message.c_str());
  std::abort();
}

void check_written(const CollectionRecord& record, jackdaw::gc::LogSpelling spelling) {
  std::array<char, jackdaw::gc::kLongestLogLine> buffer;
  std::string_view line = format_record(record, spelling, buffer);
  line.remove_suffix(1);
  const CollectionRecord again = jackdaw::tools::read_log_line(line);
  if (again.number != record.number || again.reason != record.reason || again.process != record.process ||
      again.concurrent.has_value() != record.concurrent.has_value())
    report("another record was read back", std::string(line));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<CollectionRecord> log;
  for (std::string line; std::getline(lines, line);) {
    try {
      log.push_back(jackdaw::tools::read_log_line(line));
    } catch (const jackdaw::tools::InputError& error) {
      if (std::string_view(error.what()).find('\n') != std::string_view::npos)
        report("a message of several lines", error.what());
      continue;
    }
    check_written(log.back(), jackdaw::gc::LogSpelling::words);
    check_written(log.back(), jackdaw::gc::LogSpelling::json);
  }
  if (log.empty()) return 0;
  const auto processes = jackdaw::tools::summarise_processes(log);
  const jackdaw::tools::ProgramMachine machine{.processors = 4, .tracks_writes = true};
  if (format_log(processes, machine).empty() || log_to_json(processes, machine).empty())
    report("an empty report", "");
  return 0;
}
