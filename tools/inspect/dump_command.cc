#include "tools/inspect/dump_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tools/command/input_error.h"
#include "tools/command/output_file.h"
#include "tools/inspect/inspector.h"
#include "tools/inspect/running_process.h"

namespace jackdaw::tools {

namespace {

using Page = gc::InspectionPage;

// The pipe that a dump comes through.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw InputError(
          fmt::format("there is no pipe for the dump ({})", std::generic_category().message(errno)));
  }
  ~Pipe() {
    close(ends_[0]);
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int writer() const { return ends_[1]; }
  /// From then on the pipe ends when the other process closes it.
  void close_writer() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }
  /// Returns what there is to read; nothing at the end.
  std::string_view read_some() {
    ssize_t bytes = 0;
    while ((bytes = read(ends_[0], buffer_.data(), buffer_.size())) < 0 && errno == EINTR) continue;
    return {buffer_.data(), bytes < 0 ? 0 : static_cast<std::size_t>(bytes)};
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 16);
};

// Writes a dump to a file, compressed, unless the program has compressed it.
class CompressedOutput {
 public:
  explicit CompressedOutput(OutputFile& file) : file_(file), context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (context_ == nullptr) throw std::bad_alloc();
  }
  void write(std::string_view text) {
    constexpr std::string_view kUncompressed = "JDHEAP1";
    if (!std::exchange(has_begun_, true))
      is_compressed_ = !text.starts_with(kUncompressed.substr(0, text.size()));
    if (is_compressed_) return file_.write(text);
    compress(text, ZSTD_e_continue);
  }
  void end() {
    if (!is_compressed_) compress({}, ZSTD_e_end);
  }

 private:
  void compress(std::string_view text, ZSTD_EndDirective what) {
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer out{room_.data(), room_.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &out, &in, what);
      if (ZSTD_isError(left) != 0) throw std::bad_alloc();  // the only reason to fail
      file_.write({room_.data(), out.pos});
    } while (in.pos < in.size || (what == ZSTD_e_end && left != 0));
  }

  OutputFile& file_;
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
  std::vector<char> room_ = std::vector<char>(ZSTD_CStreamOutSize());
  bool has_begun_ = false;
  bool is_compressed_ = false;
};

}  // namespace

DumpCommand::DumpCommand(CLI::App& app)
    : Command(app, "dump", "Have a running program on Jackdaw write a dump of its heap") {
  command_->footer(
      "Examples:\n"
      "  jackdaw ps; jackdaw dump 4321 -o heap.dump; jackdaw heap dump:heap.dump\n"
      "\nThe program needs to be of this user; root may dump any. It goes on running.\n"
      "Exit status: 0; 2 when the input is bad.\n");
  command_->add_option("PID", process_, "The program's process")->required()->check(CLI::Range(1, 1 << 22));
  command_->add_option("-o,--output", path_, "The dump (heap-PID.dump)")->type_name("FILE");
  command_->add_option("--timeout", seconds_, "Seconds to wait for the program, which must allocate")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
}

int DumpCommand::run() {
  const RunningProcess process = look_at(process_);
  OutputFile file("--output", path_.empty() ? fmt::format("heap-{}.dump", process_) : path_);
  Pipe pipe;
  Inspector inspector(process, {.wish = Page::Wish::dump, .pipe = pipe.writer()});
  // The program has the pipe open from then on, so that it ends with the writer.
  if (inspector.await_begin("write the dump", std::chrono::duration<double>(seconds_)) ==
      Page::State::failed) {
    throw InputError(fmt::format(
        "process {} could not write the dump: it lacks memory or processes, or writes another dump",
        process_));
  }
  pipe.close_writer();
  inspector.end_agent();
  CompressedOutput output(file);
  for (std::string_view some; !(some = pipe.read_some()).empty();) output.write(some);
  // The writer says so in the page before it closes the pipe.
  if (inspector.page().state != Page::State::complete)
    throw InputError(fmt::format("process {} could not write the whole dump", process_));
  output.end();
  file.commit();
  return 0;
}

}  // namespace jackdaw::tools
