// OwnDescriptor: a file that stays open for the collector in a program that knows nothing of it.
//
// Programs close all numbers but a few, open other files under them, and fork. A number counts only while it
// stands for the very file that was opened, in the process that opened it.
#pragma once

#include <sys/types.h>

namespace jackdaw::base {

/// One thread at a time. Nothing here changes errno.
class OwnDescriptor {
 public:
  /// Has the system enlarge its table of the process's files for high numbers. That takes several
  /// milliseconds where there are other threads, which keep() then does not have to wait for.
  static void make_room();

  OwnDescriptor() = default;
  ~OwnDescriptor() { close(); }
  OwnDescriptor(const OwnDescriptor&) = delete;
  OwnDescriptor& operator=(const OwnDescriptor&) = delete;

  /// Takes what a system call returned, a descriptor or an error, in place of the present one, and moves it
  /// to a number that programs seldom reach, where the limit allows it. False for an error.
  bool keep(int descriptor);
  /// Whether the number still stands for the file, in this process. Two system calls.
  [[nodiscard]] bool is_intact() const;
  /// Whether the number stands for that file, in this process or in a fork's child. One system call.
  [[nodiscard]] bool is_same_file() const;
  [[nodiscard]] int number() const { return number_; }
  /// Closes the number unless it stands for another file by now.
  void close();

 private:
  int number_ = -1;
  dev_t device_ = 0;
  ino_t file_ = 0;
  pid_t process_ = 0;
};

}  // namespace jackdaw::base
