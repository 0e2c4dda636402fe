// may_be_replaced: whether a new file may be renamed over what is at a path.
#pragma once

#include <sys/stat.h>

namespace jackdaw::base {

/// Whether nothing is at `path`, or a regular file with one name. Renaming a file over anything else would
/// replace a device, a pipe or a link, or leave a file's other names with the old contents.
inline bool may_be_replaced(const char* path) {
  struct stat status {};
  return lstat(path, &status) != 0 || (S_ISREG(status.st_mode) && status.st_nlink == 1);
}

}  // namespace jackdaw::base
