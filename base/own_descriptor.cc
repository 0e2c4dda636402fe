#include "base/own_descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace jackdaw::base {

namespace {

// The number is higher than programs expect the next file's to be, and lower than those that close unknown
// files usually go.
constexpr int kFirstNumber = 512;

}  // namespace

// This duplicates a number that is open: to open a file would take the lowest free one for a moment.
void OwnDescriptor::make_room() {
  const int error = errno;
  int moved = -1;
  for (int number = 0; number <= STDERR_FILENO && moved < 0; ++number)
    moved = fcntl(number, F_DUPFD_CLOEXEC, kFirstNumber);
  if (moved >= 0) ::close(moved);
  errno = error;
}

bool OwnDescriptor::keep(int descriptor) {
  const int error = errno;
  close();
  const int moved = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstNumber);
  if (moved >= 0) ::close(descriptor);
  struct stat status {};
  number_ = moved >= 0 ? moved : descriptor;
  process_ = getpid();
  if (number_ >= 0 && fstat(number_, &status) != 0) {
    ::close(number_);
    number_ = -1;
  }
  device_ = status.st_dev;
  file_ = status.st_ino;
  errno = error;
  return number_ >= 0;
}

// The file stays open, so no other one has its number within the device.
bool OwnDescriptor::is_same_file() const {
  struct stat status {};
  const int error = errno;
  const bool is_same =
      number_ >= 0 && fstat(number_, &status) == 0 && status.st_dev == device_ && status.st_ino == file_;
  errno = error;
  return is_same;
}

bool OwnDescriptor::is_intact() const { return process_ == getpid() && is_same_file(); }

void OwnDescriptor::close() {
  if (is_same_file()) ::close(number_);
  number_ = -1;
}

}  // namespace jackdaw::base
