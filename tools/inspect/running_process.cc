#include "tools/inspect/running_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "gc/process/threads/inspection_signal.h"
#include "tools/command/input_error.h"
#include "tools/inspect/collector_note.h"

namespace jackdaw::tools {

namespace fs = std::filesystem;

namespace {

std::string folder_of(pid_t process) { return fmt::format("/proc/{}", process); }

// Returns what can be read: files of a process that ends meanwhile cannot any more.
std::string contents_of(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

// The lines of a status file, by their names.
using Status = std::map<std::string, std::string>;

Status status_of(const std::string& folder) {
  Status status;
  std::istringstream lines(contents_of(folder + "/status"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(":\t");
    if (colon != std::string::npos) status[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return status;
}

// Returns the numbers at the beginning of a line.
std::vector<unsigned long> numbers_in(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<unsigned long>(words), {}};
}

unsigned long number_in(const Status& status, const char* name) {
  const auto line = status.find(name);
  const std::vector<unsigned long> numbers =
      line == status.end() ? std::vector<unsigned long>{} : numbers_in(line->second);
  return numbers.empty() ? 0 : numbers.front();
}

std::string command_of(const std::string& folder, const Status& status) {
  std::string words = contents_of(folder + "/cmdline");
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  if (!words.empty()) return words;
  const auto name = status.find("Name");
  return name == status.end() ? "" : name->second;
}

// MappedFile describes a file of which a process maps parts.
struct MappedFile {
  bool is_code = false;
  std::uintptr_t start = 0;  // of the mapping that has the file's beginning
};

// Returns what the maps of a process say of files, by their paths.
std::map<std::string, MappedFile> mapped_files_of(const std::string& folder) {
  std::map<std::string, MappedFile> files;
  std::istringstream lines(contents_of(folder + "/maps"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t path = line.find('/');
    if (path == std::string::npos) continue;
    std::istringstream words(line);
    std::uintptr_t start = 0;
    std::uintptr_t offset = 0;
    std::string rest;
    std::string permissions;
    words >> std::hex >> start >> rest >> permissions >> offset;
    MappedFile& file = files[line.substr(path)];
    file.is_code |= permissions.substr(2, 1) == "x";
    if (offset == 0) file.start = start;
  }
  return files;
}

// Whether the file whose beginning is mapped at `start` has the note. A file that was replaced on the disk
// since, as by an upgrade, has no path.
bool has_note_in_memory(const std::string& folder, std::uintptr_t start) {
  constexpr std::size_t kPage = 4096;  // A file's headers and notes lie in its first page.
  std::array<char, kPage> page{};
  const int memory = open((folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (memory < 0) return false;
  const ssize_t bytes = pread(memory, page.data(), page.size(), static_cast<off_t>(start));
  close(memory);
  return bytes == static_cast<ssize_t>(page.size()) && has_collector_note(page);
}

// Paths are those that the process itself sees. Files are looked into once.
bool maps_collector(const std::string& folder) {
  static std::map<std::string, bool> known;
  std::error_code error;
  const std::string root = fs::read_symlink(folder + "/root", error) == "/" ? "" : folder + "/root";
  return std::ranges::any_of(mapped_files_of(folder), [&](const auto& mapped) {
    const auto& [path, file] = mapped;
    if (!file.is_code) return false;
    if (path.ends_with(" (deleted)")) return has_note_in_memory(folder, file.start);
    const auto [entry, is_new] = known.try_emplace(root + path, false);
    if (is_new) entry->second = has_collector_note(root + path);
    return entry->second;
  });
}

bool handles_signal(const Status& status) {
  const auto line = status.find("SigCgt");
  std::uint64_t caught = 0;
  if (line == status.end()) return false;
  std::from_chars(line->second.data(), line->second.data() + line->second.size(), caught, 16);
  return (caught >> (gc::InspectionSignal::kNumber - 1) & 1) != 0;
}

// A filter of system calls may end a process for a call that it does not expect. One that this process is
// under, too, as in a container, lets the collector's calls pass as it lets this one's.
bool has_filter_of_its_own(const std::string& folder) {
  const auto filters = [](const std::string& of) {
    const Status status = status_of(of);
    const unsigned long mode = number_in(status, "Seccomp");
    return mode == 1 ? 1'000'000UL : std::max(number_in(status, "Seccomp_filters"), mode / 2);
  };
  const unsigned long own = filters("/proc/self");
  std::error_code error;
  for (const fs::directory_entry& thread : fs::directory_iterator(folder + "/task", error))
    if (filters(thread.path().string()) > own) return true;
  return false;
}

std::string obstacle_of(const std::string& folder, const Status& status) {
  const auto spaces = status.find("NSpid");
  const auto own_spaces = status_of("/proc/self");
  const auto own = own_spaces.find("NSpid");
  if (spaces != status.end() && own != own_spaces.end() &&
      numbers_in(spaces->second).size() > numbers_in(own->second).size())
    return "is in a container with process numbers of its own; run jackdaw in there";
  if (has_filter_of_its_own(folder)) {
    return "has a filter of system calls of its own (seccomp), which could end it; start it with "
           "JACKDAW_DUMP_SIGNAL";
  }
  if (!handles_signal(status)) {
    return fmt::format(
        "does not handle signal {}: its collector has not started, or the program chose "
        "another one",
        gc::InspectionSignal::kNumber);
  }
  return "";
}

bool is_alive(const Status& status) {
  const auto state = status.find("State");
  return state != status.end() && !state->second.starts_with('Z') && !state->second.starts_with('X');
}

std::optional<RunningProcess> find(pid_t number) {
  const std::string folder = folder_of(number);
  const Status status = status_of(folder);
  if (!is_alive(status)) return std::nullopt;
  RunningProcess process;
  process.number = number;
  process.command = command_of(folder, status);
  process.resident_bytes = std::uint64_t{number_in(status, "VmRSS")} << 10;
  constexpr std::size_t kEffective = 1;
  if (const auto users = status.find("Uid"); users != status.end())
    process.user = static_cast<uid_t>(numbers_in(users->second).at(kEffective));
  if (const auto groups = status.find("Gid"); groups != status.end())
    process.group = static_cast<gid_t>(numbers_in(groups->second).at(kEffective));
  process.is_on_jackdaw = maps_collector(folder);
  if (process.is_on_jackdaw) process.obstacle = obstacle_of(folder, status);
  return process;
}

}  // namespace

RunningProcess look_at(pid_t process) {
  if (std::optional<RunningProcess> found = find(process)) return *found;
  throw InputError(fmt::format("there is no process {}; jackdaw ps lists those on Jackdaw", process));
}

std::string why_not_on_jackdaw(pid_t process) {
  return fmt::format(
      "process {} does not run on Jackdaw, or does not let itself be inspected; jackdaw ps lists those that "
      "do",
      process);
}

bool is_running(pid_t process) { return is_alive(status_of(folder_of(process))); }

std::vector<RunningProcess> processes_on_jackdaw() {
  std::vector<pid_t> numbers;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    pid_t number = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (failed == std::errc() && end == name.data() + name.size()) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  std::vector<RunningProcess> processes;
  for (const pid_t number : numbers) {
    std::optional<RunningProcess> process = find(number);
    if (process && process->is_on_jackdaw) processes.push_back(*process);
  }
  return processes;
}

}  // namespace jackdaw::tools
