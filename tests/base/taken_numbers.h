// A program that closes all descriptors that it does not know, and opens a file of its own under each number.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace jackdaw::base {

/// Numbers up to 1023, but for standard input and outputs, stand for the file while this exists.
class TakenNumbers {
 public:
  explicit TakenNumbers(const std::string& path)
      : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    for (int number = kFirst; number < kEnd; ++number) dup2(file_, number);
  }
  ~TakenNumbers() {
    for (int number = kFirst; number < kEnd; ++number) close(number);
  }
  TakenNumbers(const TakenNumbers&) = delete;
  TakenNumbers& operator=(const TakenNumbers&) = delete;

  [[nodiscard]] static bool are_open() {
    for (int number = kFirst; number < kEnd; ++number) {
      if (fcntl(number, F_GETFD) < 0) return false;
    }
    return true;
  }

 private:
  static constexpr int kFirst = 3;
  static constexpr int kEnd = 1024;

  int file_;
};

}  // namespace jackdaw::base
