#include "tools/graph/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include "tools/command/input_error.h"

namespace jackdaw::tools {

namespace {

[[noreturn]] void fail_opening(const std::string& path, int error) {
  throw InputError(fmt::format("{}: cannot be opened: {}", path,
                               std::error_code(error, std::generic_category()).message()));
}

int open_regular_file(const std::string& path) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail_opening(path, errno);
  struct stat status {};
  const int result = fstat(descriptor, &status);
  if (result == 0 && S_ISREG(status.st_mode)) return descriptor;
  close(descriptor);
  if (result == 0 && S_ISDIR(status.st_mode)) throw InputError(path + ": is a directory; must be a file");
  throw InputError(path + ": must be a regular file, because it is read twice");
}

}  // namespace

ByteSource::ByteSource(const std::string& path) : ByteSource(open_regular_file(path), path) {}

ByteSource::ByteSource(int descriptor, std::string name) : name_(std::move(name)), buffer_(kBufferBytes) {
  struct stat status {};
  if (fstat(descriptor, &status) == 0) file_bytes_ = static_cast<std::uint64_t>(status.st_size);
  stream_ = ByteStream::open(descriptor);
  cursor_ = filled_end_ = readable_end_ = buffer_.data();
}

void ByteSource::set_bound(std::uint64_t bound, const char* what) {
  bound_ = bound;
  bounded_ = what;
  update_readable_end();
}

void ByteSource::update_readable_end() {
  const auto filled = static_cast<std::uint64_t>(filled_end_ - buffer_.data());
  const std::uint64_t up_to_bound = bound_ - std::min(bound_, buffer_offset_);
  readable_end_ = buffer_.data() + std::min(filled, up_to_bound);
}

/// Makes at least `count` bytes (at most a buffer) readable, or throws.
void ByteSource::require(std::size_t count) {
  if (bytes_to_bound() < count) fail_at_bound();
  while (static_cast<std::size_t>(filled_end_ - cursor_) < count) {
    if (fill() == 0) fail_at_end();
  }
}

/// Moves the unread bytes to the front of the buffer and reads more after them. Returns how many; 0 at the
/// end.
std::size_t ByteSource::fill() {
  const auto unread = static_cast<std::size_t>(filled_end_ - cursor_);
  buffer_offset_ = offset();
  std::memmove(buffer_.data(), cursor_, unread);
  cursor_ = buffer_.data();
  filled_end_ = buffer_.data() + unread;
  std::size_t added = 0;
  try {
    added = stream_->read(std::span(buffer_).subspan(unread));
  } catch (const StreamError& error) {
    fail(buffer_offset_ + unread, error.what());
  }
  filled_end_ += added;
  update_readable_end();
  return added;
}

std::string ByteSource::read_text(std::uint64_t count) {
  std::string text;
  while (text.size() < count) {
    require(1);
    const auto readable = static_cast<std::uint64_t>(readable_end_ - cursor_);
    const auto taken = static_cast<std::size_t>(std::min(readable, count - text.size()));
    text.append(reinterpret_cast<const char*>(cursor_), taken);
    cursor_ += taken;
  }
  return text;
}

bool ByteSource::read_line(std::string& line, std::size_t most) {
  line.clear();
  if (at_end()) return false;
  while (line.size() < most && !at_end()) {
    const auto readable = std::min(static_cast<std::size_t>(filled_end_ - cursor_), most - line.size());
    const std::uint8_t* const end = std::find_if(
        cursor_, cursor_ + readable, [](std::uint8_t byte) { return byte == '\n' || byte == '\r'; });
    const bool is_whole = end != cursor_ + readable;
    line.append(reinterpret_cast<const char*>(cursor_), static_cast<std::size_t>(end - cursor_));
    cursor_ = end;
    if (!is_whole) continue;
    const bool may_have_two = *cursor_++ == '\r';
    if (may_have_two && !at_end() && *cursor_ == '\n') ++cursor_;
    break;
  }
  return true;
}

void ByteSource::skip(std::uint64_t count) {
  if (bytes_to_bound() < count) fail_at_bound();
  while (count > static_cast<std::uint64_t>(filled_end_ - cursor_)) {
    count -= static_cast<std::uint64_t>(filled_end_ - cursor_);
    cursor_ = filled_end_;
    if (fill() == 0) fail_at_end();
  }
  cursor_ += count;
}

void ByteSource::rewind() {
  if (!stream_->rewind()) {
    throw InputError(fmt::format("{}: cannot be read a second time; must be a regular file", name_));
  }
  buffer_offset_ = 0;
  cursor_ = filled_end_ = buffer_.data();
  clear_bound();
}

void ByteSource::fail(std::uint64_t offset, const std::string& message) const {
  const char* const stream = stream_->is_compressed() ? " of the uncompressed stream" : "";
  throw InputError(fmt::format("{}: byte {}{}: {}", name_, offset, stream, message));
}

void ByteSource::fail_at_bound() const {
  fail(offset(), fmt::format("what is here runs past the end of its {} at byte {}; must end inside it",
                             bounded_, bound_));
}

void ByteSource::fail_at_end() const {
  const std::uint64_t end = buffer_offset_ + static_cast<std::uint64_t>(filled_end_ - buffer_.data());
  if (bound_ == kNoBound) fail(end, "the file ends in the middle of a record; must be a whole file");
  fail(end, fmt::format("the file ends here, but its last {} should go on to byte {}; must be a whole file",
                        bounded_, bound_));
}

}  // namespace jackdaw::tools
