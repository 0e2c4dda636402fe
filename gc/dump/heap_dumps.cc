#include "gc/dump/heap_dumps.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "base/system_memory.h"
#include "gc/process/own_work.h"
#include "gc/process/path_pattern.h"
#include "gc/process/tell_on_stderr.h"

namespace jackdaw::gc {

std::atomic<bool> HeapDumps::is_requested_{false};

void HeapDumps::load_compressor() {
  if (!ZstdLibrary::load()) tell_on_stderr("libzstd.so.1 cannot be loaded: heap dumps are not compressed");
}

void HeapDumps::set(std::string path, int signal) {
  path_ = std::move(path);
  when_ = signal == 0 ? When::at_each_collection : When::at_signal;
  if (signal == 0) return;
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  // Relaxed, here and where it is read: a wish that publishes nothing.
  action.sa_handler = [](int) { is_requested_.store(true, std::memory_order_relaxed); };
  sigaction(signal, &action, nullptr);
}

bool HeapDumps::is_wanted() {
  if (!asked_for_.empty()) return true;
  switch (when_) {
    case When::never:
      return false;
    case When::at_signal:
      return is_requested_.exchange(false, std::memory_order_relaxed);
    case When::at_each_collection:
      return !is_another_under_way();
  }
  __builtin_unreachable();
}

// A dump in two files at once would take more memory, and time, than the program may have.
bool HeapDumps::is_another_under_way() {
  if (child_ <= 0) return false;
  if (waitpid(child_, nullptr, WNOHANG | static_cast<int>(__WCLONE)) == 0) return true;
  child_ = -1;
  return false;
}

void HeapDumps::prepare(std::uint64_t collection) {
  if (!is_wanted()) return;
  child_ = -1;  // an earlier one is no longer asked about
  const OwnWork own_work;
  name_ = expand_path(asked_for_.empty() ? path_ : asked_for_, collection);
  part_name_ = name_ + ".part";
  asked_for_.clear();
  const std::span<std::byte> memory = base::map_memory(sizeof(DumpStream));
  if (memory.empty()) return tell_on_stderr("no memory to write the heap dump '" + name_ + "'");
  const int descriptor = open(part_name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  auto* const stream = new (memory.data()) DumpStream;
  if (descriptor >= 0 && stream->begin(descriptor)) {
    stream_ = stream;
    return;
  }
  tell_on_stderr("the heap dump '" + part_name_ + "' cannot be written (" + std::strerror(errno) + ")");
  stream->~DumpStream();
  base::unmap_memory(memory);
}

void HeapDumps::release() {
  if (stream_ == nullptr) return;
  const OwnWork own_work;
  if (child_ < 0) {
    unlink(part_name_.c_str());
    tell_on_stderr("the heap dump '" + name_ + "' was not written: out of memory or processes");
  }
  stream_->~DumpStream();
  base::unmap_memory({reinterpret_cast<std::byte*>(std::exchange(stream_, nullptr)), sizeof(DumpStream)});
}

// As fork() would, but no handler runs, and nothing is told when it ends.
pid_t HeapDumps::fork_child() { return static_cast<pid_t>(syscall(SYS_clone, 0UL, 0UL, 0UL, 0UL, 0UL)); }

// In the child, whose parent blocked all signals: the program's handlers are not for it.
void HeapDumps::leave_signals_to_system() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action.sa_flags = 0;
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
  }
  constexpr base::SignalBits kNone = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &kNone, nullptr, sizeof kNone);
}

// Without the program's functions for the end.
void HeapDumps::end_child(bool is_whole) {
  bool is_there = is_whole && rename(part_name_.c_str(), name_.c_str()) == 0;
  if (!is_there) {
    unlink(part_name_.c_str());
    tell_on_stderr("a heap dump could not be written");
  }
  syscall(SYS_exit_group, is_there ? 0 : 1);
  __builtin_unreachable();
}

bool HeapDumps::await(pid_t child) {
  if (child <= 0) return false;  // none was forked; to wait for -1 would be to wait for others
  int status = 0;
  while (waitpid(child, &status, static_cast<int>(__WCLONE)) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace jackdaw::gc
