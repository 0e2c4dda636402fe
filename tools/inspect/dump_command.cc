#include "tools/inspect/dump_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <zstd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "gc/process/threads/inspection_signal.h"
#include "tools/command/input_error.h"
#include "tools/command/output_file.h"
#include "tools/inspect/inspector.h"
#include "tools/inspect/running_process.h"

namespace jackdaw::tools {

namespace {

using Clock = std::chrono::steady_clock;
using Page = gc::InspectionPage;

constexpr std::chrono::seconds kPatienceToAnswer{2};

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
  /// Waits for something to read, for `time` at most.
  void await_some(std::chrono::milliseconds time) const {
    pollfd reader{.fd = ends_[0], .events = POLLIN, .revents = 0};
    poll(&reader, 1, static_cast<int>(time.count()));
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

// Waits until the program has opened the pipe, so that it ends with the writer. Throws InputError when it
// does not.
void await_begin(pid_t process, const Inspector& inspector, const Pipe& pipe,
                 std::chrono::duration<double> patience) {
  constexpr std::chrono::milliseconds kLook{50};
  constexpr std::chrono::seconds kPatienceToLine{1};
  const Clock::time_point start = Clock::now();
  bool is_told = false;
  for (;;) {
    const Page::State state = inspector.page().state;
    if (state == Page::State::begun || state == Page::State::complete) return;
    if (state == Page::State::failed) {
      throw InputError(fmt::format(
          "process {} could not write the dump: it lacks memory or processes, or writes another dump",
          process));
    }
    if (!is_running(process))
      throw InputError(fmt::format("process {} has ended before it wrote a dump", process));
    const Clock::duration waited = Clock::now() - start;
    if (waited >= patience) {
      throw InputError(
          fmt::format("process {} has allocated nothing for {:.0f} s, and so wrote no dump; --timeout says "
                      "how long to wait",
                      process, patience.count()));
    }
    if (waited >= kPatienceToLine && !std::exchange(is_told, true))
      fmt::print(stderr, "jackdaw: process {} will write the dump when it next allocates; waiting for that\n",
                 process);
    pipe.await_some(kLook);
  }
}

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
  Inspector inspector(process, Page::Wish::dump, pipe.writer());
  if (!inspector.await_answer(kPatienceToAnswer)) {
    if (!is_running(process_))
      throw InputError(fmt::format("process {} has ended before it wrote a dump", process_));
    throw InputError(
        fmt::format("process {} does not answer: it is stopped, blocks signal {}, or has no /proc", process_,
                    gc::InspectionSignal::kNumber));
  }
  await_begin(process_, inspector, pipe, std::chrono::duration<double>(seconds_));
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
