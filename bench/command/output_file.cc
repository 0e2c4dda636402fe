#include "bench/command/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "bench/command/input_error.h"

namespace jackdaw::bench {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

bool is_directory(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

OutputFile::OutputFile(const std::string& argument, const std::string& path)
    : argument_(argument), path_(path), temporary_path_(fmt::format("{}.{}.part", path, getpid())) {
  if (is_directory(path_)) {
    errno = EISDIR;
    fail("cannot be written");
  }
  descriptor_ = open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("cannot be written");
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_path_.c_str());
}

void OutputFile::write(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() >= kPieceBytes) flush();
}

void OutputFile::flush() {
  std::string_view text = waiting_;
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
  if (rename(temporary_path_.c_str(), path_.c_str()) != 0) fail("cannot be put in place");
  close(descriptor_);
  descriptor_ = -1;
}

void OutputFile::fail(const char* what) const {
  const std::string reason = std::generic_category().message(errno);
  throw InputError(fmt::format("{} {}: {} ({}); name a file in a folder that can be written to", argument_,
                               path_, what, reason));
}

}  // namespace jackdaw::bench
