#include "tools/run/program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tools/command/child_process.h"
#include "tools/command/input_error.h"

namespace jackdaw::tools {

namespace {

bool is_executable_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

// Returns the program's path, as execvp would find it.
std::string search(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (is_executable_file(name)) return name;
    throw InputError(fmt::format("'{}' is no program that can be executed", name));
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (is_executable_file(candidate)) return candidate;
  }
  throw InputError(fmt::format("there is no program '{}' in PATH", name));
}

// Returns the program that a script is for: the word after #!, or after env there.
std::string interpreter_of(const std::string& first_line) {
  std::istringstream words(first_line);
  std::string word;
  words >> word;
  if (word.substr(word.rfind('/') + 1) != "env") return word;
  while (words >> word) {
    if (word.front() != '-' && word.find('=') == std::string::npos) return search(word);
  }
  return "/usr/bin/env";
}

// Returns the ELF file that is loaded when a file is executed.
std::string binary_of(const std::string& path) {
  // The kernel follows this many interpreters.
  constexpr int kDeepest = 5;
  std::string file = path;
  for (int depth = 0; depth < kDeepest; ++depth) {
    std::ifstream stream(file, std::ios::binary);
    std::string start(SELFMAG, '\0');
    stream.read(start.data(), SELFMAG);
    if (!stream && stream.gcount() == 0) throw InputError(fmt::format("'{}' cannot be read", file));
    if (start == ELFMAG) return file;
    if (start.substr(0, 2) != "#!") return "/bin/sh";
    stream.seekg(2);
    std::string first_line;
    std::getline(stream, first_line);
    file = interpreter_of(first_line);
  }
  throw InputError(fmt::format("'{}' is a script of a script, too deep to be executed", path));
}

// Returns the loader that an ELF file names, or nothing when it is static or not for this machine.
std::string loader_of(const std::string& binary) {
  std::ifstream file(binary, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  if (!file || header.e_ident[EI_CLASS] != ELFCLASS64) return "";
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof(segment)));
    file.read(reinterpret_cast<char*>(&segment), sizeof(segment));
    if (!file) return "";
    if (segment.p_type != PT_INTERP) continue;
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    std::string name;
    std::getline(file, name, '\0');
    return name;
  }
  return "";
}

// Returns the output of a command, or nothing when it fails.
std::optional<std::string> output_of(std::vector<std::string> command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const std::vector<char*> arguments = pointers_to(command);
  pid_t process = 0;
  const int error = posix_spawn(&process, arguments[0], &streams, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  close(ends[1]);
  std::string output;
  std::array<char, 4096> part{};
  for (ssize_t bytes = 0; error == 0 && (bytes = read(ends[0], part.data(), part.size())) != 0;) {
    if (bytes > 0) output.append(part.data(), static_cast<std::size_t>(bytes));
  }
  close(ends[0]);
  int status = 1;
  if (error == 0) {
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (status != 0) return std::nullopt;
  return output;
}

}  // namespace

ProgramFile find_program(const std::string& name) {
  const std::string path = search(name);
  return {.path = path, .binary = binary_of(path)};
}

bool gains_rights(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return false;
  return ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) ||
         ((status.st_mode & S_ISGID) != 0 && status.st_gid != getgid());
}

std::optional<std::vector<LoadedLibrary>> loaded_libraries(const std::string& binary) {
  const std::string loader = loader_of(binary);
  std::vector<LoadedLibrary> libraries;
  if (loader.empty()) return libraries;
  const std::optional<std::string> list = output_of({loader, "--list", binary});
  if (!list) return std::nullopt;
  std::istringstream lines(*list);
  for (std::string line; std::getline(lines, line);) {
    // The format is " NAME => PATH (ADDRESS)". A line without an arrow is the loader, or no file.
    std::istringstream words(line);
    LoadedLibrary library;
    std::string arrow;
    if (words >> library.name >> arrow >> library.path && arrow == "=>") libraries.push_back(library);
  }
  return libraries;
}

bool has_text(const std::string& path, const std::string& text) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return bytes.find(text) != std::string::npos;
}

}  // namespace jackdaw::tools
