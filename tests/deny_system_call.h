// A system that refuses a system call.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <array>
#include <cstddef>

namespace jackdaw {

/// Has the kernel answer a system call by `action`, one of its SECCOMP_RET_, in the calling thread, in
/// threads that it starts and in programs that these run. False when that cannot be.
inline bool filter_system_call(long call, unsigned action) {
  std::array<sock_filter, 4> filter{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, action),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{filter.size(), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// It fails with `error`.
inline bool deny(long call, int error) {
  return filter_system_call(call, SECCOMP_RET_ERRNO | static_cast<unsigned>(error));
}

/// It ends the process.
inline bool forbid(long call) { return filter_system_call(call, SECCOMP_RET_KILL_PROCESS); }

}  // namespace jackdaw
