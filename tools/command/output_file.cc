#include "tools/command/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/replaced_file.h"
#include "tools/command/input_error.h"

namespace jackdaw::tools {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

}  // namespace

OutputFile::OutputFile(const std::string& argument, const std::string& path)
    : argument_(argument),
      path_(path),
      written_path_(base::may_be_replaced(path.c_str()) ? fmt::format("{}.{}.part", path, getpid()) : path) {
  std::signal(SIGXFSZ, SIG_IGN);  // so that a limit of file sizes is an error like others
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (is_replaced() ? O_EXCL : 0);
  descriptor_ = open(written_path_.c_str(), flags, 0666);
  if (descriptor_ < 0) fail("cannot be written");
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (is_replaced()) unlink(written_path_.c_str());
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
  if (is_replaced() && rename(written_path_.c_str(), path_.c_str()) != 0) fail("cannot be put in place");
  close(std::exchange(descriptor_, -1));
}

void OutputFile::fail(const char* what) const {
  const std::string reason = std::generic_category().message(errno);
  throw InputError(fmt::format("{} {}: {} ({}); name a file in a folder that can be written to", argument_,
                               path_, what, reason));
}

}  // namespace jackdaw::tools
