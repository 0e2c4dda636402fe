#include "tools/run/run_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include "tools/command/child_process.h"
#include "tools/command/input_error.h"
#include "tools/command/printable_name.h"
#include "tools/run/libgc_folder.h"
#include "tools/run/program_file.h"
#include "tools/run/run_statistics.h"

namespace jackdaw::tools {

namespace fs = std::filesystem;

namespace {

// The collection log that the program writes: the file of --log, or a temporary one that this object removes.
class CollectionLog {
 public:
  explicit CollectionLog(const std::string& path) : path_(path), is_ours_(path.empty()) {
    if (is_ours_) path_ = (fs::temp_directory_path() / "jackdaw-run-XXXXXX").string();
    const int file = is_ours_ ? mkostemp(path_.data(), O_CLOEXEC)
                              : open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) {
      throw InputError(
          fmt::format("--log: {} cannot be written ({})", path_, std::generic_category().message(errno)));
    }
    start_ = std::max<off_t>(lseek(file, 0, SEEK_END), 0);
    close(file);
  }
  ~CollectionLog() {
    if (is_ours_) unlink(path_.c_str());
  }
  CollectionLog(const CollectionLog&) = delete;
  CollectionLog& operator=(const CollectionLog&) = delete;

  /// Returns a path that is valid in any working folder.
  [[nodiscard]] std::string path() const { return fs::absolute(path_).string(); }
  /// Returns the lines that were written since this was made.
  [[nodiscard]] std::string lines() const {
    std::ifstream file(path_, std::ios::binary);
    file.seekg(start_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
  bool is_ours_;
  off_t start_ = 0;
};

void set_variable(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

// The loader searches the folder first, for the program and for the programs that it starts.
void put_first(const std::string& folder) {
  const char* const others = std::getenv("LD_LIBRARY_PATH");
  const bool alone = others == nullptr || *others == '\0';
  set_variable("LD_LIBRARY_PATH", alone ? folder : folder + ":" + others);
}

// Whether the program contains this message of libgc: then the collector is linked in statically.
bool has_libgc_linked_in(const ProgramFile& program, const std::vector<LoadedLibrary>& libraries) {
  constexpr auto kMessage = "GC Warning: Repeated allocation of very large block";
  return has_text(program.binary, kMessage) ||
         std::any_of(libraries.begin(), libraries.end(),
                     [&](const LoadedLibrary& library) { return has_text(library.path, kMessage); });
}

[[noreturn]] void refuse(const ProgramFile& program, const std::vector<LoadedLibrary>& libraries) {
  if (has_libgc_linked_in(program, libraries)) {
    throw InputError(fmt::format(
        "'{}' has libgc linked into it statically; link it with libgc.so.1, or with Jackdaw", program.path));
  }
  throw InputError(fmt::format(
      "'{}' does not use libgc; if it loads or starts something that does, say --force", program.path));
}

// Throws InputError if the program would not find our libgc, as far as that can be known before it runs.
void check(const ProgramFile& program, const std::string& folder, bool force) {
  if (gains_rights(program.path)) {
    throw InputError(fmt::format(
        "'{}' gets more rights than its user has, so the loader ignores LD_LIBRARY_PATH", program.path));
  }
  const std::optional<std::vector<LoadedLibrary>> libraries = loaded_libraries(program.binary);
  // The loader itself reports what is missing.
  if (!libraries) return;
  const auto libgc = std::find_if(libraries->begin(), libraries->end(),
                                  [](const LoadedLibrary& library) { return library.name == "libgc.so.1"; });
  if (libgc != libraries->end()) {
    std::error_code error;
    if (fs::equivalent(libgc->path, fs::path(folder) / "libgc.so.1", error)) return;
    throw InputError(
        fmt::format("'{}' would load {}, not Jackdaw's: its own list of folders comes first (DT_RPATH)",
                    program.path, libgc->path));
  }
  if (force) return;
  if (!program.is_script()) refuse(program, *libraries);
  fmt::print(stderr, "jackdaw: {} is a script for {}, which does not use libgc; what it starts may\n",
             printable(program.path), printable(program.binary));
}

}  // namespace

RunCommand::RunCommand(CLI::App& app)
    : Command(app, "run",
              "Run a program that uses libgc on Jackdaw instead: run [OPTIONS] PROGRAM [ARG...]") {
  command_->footer(
      "Examples:\n"
      "  jackdaw run guile script.scm\n"
      "  jackdaw run --markers 2 --stats w3m -dump page.html\n"
      "\nExit status: the program's, 128 and the signal's number when a signal ended it; 2 when the input is "
      "bad.\n");
  command_->add_option("--markers", markers_, "Threads that mark (JACKDAW_MARKERS)")
      ->type_name("N")
      ->check(CLI::Range(1, 64));
  command_->add_option("--log", log_path_, "Append a line for each collection to this file")
      ->type_name("FILE");
  command_->add_flag("--stats", statistics_, "Say at the end what the collections took");
  command_->add_flag("--force", force_, "Run it even if it does not use libgc itself");
}

int RunCommand::take_program(int argc, char** argv) {
  constexpr int kFirst = 2;
  if (argc < kFirst || command_->get_name() != argv[kFirst - 1]) return argc;
  int ours = kFirst;
  while (ours < argc && argv[ours][0] == '-' && std::string_view(argv[ours]) != "--") {
    const CLI::Option* const option = command_->get_option_no_throw(argv[ours]);
    ours += option != nullptr && option->get_items_expected_min() > 0 ? 2 : 1;
  }
  ours = std::min(ours, argc);
  const bool marked = ours < argc && std::string_view(argv[ours]) == "--";
  program_.assign(argv + ours + (marked ? 1 : 0), argv + argc);
  return ours;
}

int RunCommand::run() {
  if (program_.empty()) throw InputError("a PROGRAM is missing (see jackdaw run --help)");
  const std::string folder = libgc_folder();
  const ProgramFile program = find_program(program_.front());
  put_first(folder);
  check(program, folder, force_);
  if (!markers_.empty()) set_variable("JACKDAW_MARKERS", markers_);
  std::optional<CollectionLog> log;
  if (statistics_ || !log_path_.empty()) {
    log.emplace(log_path_);
    const char* const spelling = std::getenv("JACKDAW_LOG");
    if (spelling == nullptr || std::string_view(spelling) != "json") set_variable("JACKDAW_LOG", "1");
    set_variable("JACKDAW_LOG_FILE", log->path());
  }
  if (statistics_) {
    const int status = run_child(program.path, program_);
    fmt::print(stderr, "{}", summarise_collections(log->lines()));
    return status;
  }
  become(program.path, program_);
  throw InputError(
      fmt::format("'{}' cannot be executed ({})", program.path, std::generic_category().message(errno)));
}

}  // namespace jackdaw::tools
