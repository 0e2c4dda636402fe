// AddressSpaceLimit: makes the system refuse memory, to see what becomes of those that ask for it.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>

namespace jackdaw {

/// While it exists, this process may map `bytes` bytes more than it has mapped now. A limit on address space
/// binds the superuser, too, which one on processes does not. malloc may be refused memory, too.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(std::size_t bytes) {
    std::ifstream statistics("/proc/self/statm");
    std::size_t pages = 0;
    statistics >> pages;
    getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur =
        std::min<rlim_t>(pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + bytes, limit.rlim_max);
    EXPECT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  }
  ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &before_); }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace jackdaw
