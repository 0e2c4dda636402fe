#include "base/own_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/quiet_write.h"

namespace jackdaw::base {

namespace {

constexpr std::string_view kEnding = ".part";

// A link of another user is not followed: in a folder that all may write to it may lead to a file of this
// user's.
bool is_trusted_link(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) &&
         (status.st_uid == geteuid() || status.st_uid == 0);
}

// Devices and pipes have no contents to remove.
bool make_empty(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return false;
  return !S_ISREG(status.st_mode) ||
         (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ftruncate(descriptor, 0) == 0);
}

}  // namespace

bool OwnFile::open(const std::string& path, Contents contents, Readers readers) {
  const mode_t mode = readers == Readers::all ? S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH : S_IRUSR | S_IWUSR;
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
                    (contents == Contents::kept ? O_APPEND : 0) | (is_trusted_link(path) ? 0 : O_NOFOLLOW);
  if (!descriptor_.keep(::open(path.c_str(), flags, mode))) return false;
  if (contents == Contents::kept || make_empty(descriptor_.number())) return true;
  const int error = errno;
  close();
  errno = error;
  return false;
}

bool OwnFile::make_part(std::string& path) {
  path.append(".XXXXXX").append(kEnding);
  return descriptor_.keep(mkostemps(path.data(), static_cast<int>(kEnding.size()), O_CLOEXEC));
}

bool OwnFile::write(std::span<const std::byte> bytes, off_t offset) const {
  if (!descriptor_.is_same_file()) {
    errno = EBADF;
    return false;
  }
  while (!bytes.empty()) {
    const ssize_t written = write_quietly(bytes.size(), [&] {
      return offset == kNowhere ? ::write(descriptor_.number(), bytes.data(), bytes.size())
                                : pwrite(descriptor_.number(), bytes.data(), bytes.size(), offset);
    });
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    if (offset != kNowhere) offset += written;
  }
  return true;
}

void OwnFile::wait_for_reader() const {
  fcntl(descriptor_.number(), F_SETFL, fcntl(descriptor_.number(), F_GETFL) & ~O_NONBLOCK);
}

bool OwnFile::synchronise() const { return fsync(descriptor_.number()) == 0 || errno == EINVAL; }

std::string_view OwnFile::reason_of(int error) {
  switch (error) {
    case EBADF:
      return "the program has closed its number";
    case ELOOP:
      return "it is a link that another user made";
    case ENXIO:
      return "it is a pipe that nobody reads";
    case ESPIPE:
      return "it is a pipe: name a regular file";
    case EWOULDBLOCK:
      return "another process writes it: %p in the path gives each its own";
    default:
      return std::strerror(error);
  }
}

}  // namespace jackdaw::base
