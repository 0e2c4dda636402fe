#include "tools/command/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/replaced_file.h"
#include "base/signals_blocked.h"
#include "tools/command/input_error.h"

namespace jackdaw::tools {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// The paths of files that are not complete, for the handler of signals that end the command. A command has
// fewer of them than there are places; another file would stay.
using UnfinishedPath = std::atomic<const char*>;
constinit std::array<UnfinishedPath, 8> unfinished{};
// A fork's child has copies of these paths; by this number it knows that the files are not its own.
constinit std::atomic<pid_t> writer{0};
static_assert(UnfinishedPath::is_always_lock_free);

// The system has reset the handler when it runs, and the raised signal ends the command when it returns.
extern "C" void remove_unfinished(int signal) {
  for (const UnfinishedPath& place : unfinished) {
    const char* const path = place.load();
    if (path != nullptr && writer.load() == getpid()) unlink(path);
  }
  raise(signal);
}

// A signal that the command was started to ignore stays ignored, as SIGHUP under nohup.
void handle_ending_signals() {
  struct sigaction action {};
  action.sa_handler = remove_unfinished;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(signal, &action, nullptr);
  }
}

void note_unfinished(const char* path) {
  writer.store(getpid());
  handle_ending_signals();
  for (UnfinishedPath& place : unfinished) {
    const char* none = nullptr;
    if (place.compare_exchange_strong(none, path)) return;
  }
}

void forget_unfinished(const char* path) {
  for (UnfinishedPath& place : unfinished) {
    const char* expected = path;
    if (place.compare_exchange_strong(expected, nullptr)) return;
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& argument, const std::string& path)
    : argument_(argument),
      path_(path),
      written_path_(base::may_be_replaced(path.c_str()) ? fmt::format("{}.{}.part", path, getpid()) : path) {
  std::signal(SIGXFSZ, SIG_IGN);  // so that a limit of file sizes is an error like others
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (is_replaced() ? O_EXCL : 0);
  {
    const base::SignalsBlocked blocked(base::kAllProgramSignals);
    descriptor_ = open(written_path_.c_str(), flags, 0666);
    if (descriptor_ >= 0 && is_replaced()) note_unfinished(written_path_.c_str());
  }
  if (descriptor_ < 0) fail("cannot be written");
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (!is_replaced()) return;
  unlink(written_path_.c_str());
  forget_unfinished(written_path_.c_str());
}

void OutputFile::write(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() >= kPieceBytes) flush();
}

void OutputFile::flush() {
  std::string_view text = waiting_;
  // Only a regular file has a length: for a device or a pipe the system answers EINVAL.
  if (!std::exchange(has_begun_, true) && ftruncate(descriptor_, 0) != 0 && errno != EINVAL)
    fail("cannot be written");
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  waiting_.clear();
}

void OutputFile::commit(std::string_view text) {
  write(text);
  flush();
  if (is_replaced()) {
    if (rename(written_path_.c_str(), path_.c_str()) != 0) fail("cannot be put in place");
    forget_unfinished(written_path_.c_str());
  }
  close(std::exchange(descriptor_, -1));
}

void OutputFile::fail(const char* what) const {
  const std::string reason = std::generic_category().message(errno);
  throw InputError(fmt::format("{} {}: {} ({}); name a file in a folder that can be written to", argument_,
                               path_, what, reason));
}

}  // namespace jackdaw::tools
