#include "gc/report/dump/heap_dumps.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <new>
#include <span>
#include <utility>

#include "base/page_memory.h"
#include "base/path_pattern.h"
#include "base/warn.h"

namespace jackdaw::gc {

std::atomic<bool> HeapDumps::is_requested_{false};

void HeapDumps::load_compressor() {
  static std::atomic<bool> is_told{false};
  // Relaxed: it publishes nothing.
  if (!ZstdLibrary::load() && !is_told.exchange(true, std::memory_order_relaxed))
    base::warn("libzstd.so.1 cannot be loaded: heap dumps are not compressed");
}

void HeapDumps::set(std::string path, int signal) {
  path_ = std::move(path);
  when_ = signal == 0 ? When::at_each_collection : When::at_signal;
  if (signal == 0) return;
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  // Relaxed, here and where it is read: a request that publishes nothing.
  action.sa_handler = [](int) { is_requested_.store(true, std::memory_order_relaxed); };
  sigaction(signal, &action, nullptr);
}

// Two dumps at once would take more memory and time than the program may have: the signal stays pending until
// the other dump is written.
bool HeapDumps::is_wanted() {
  static_cast<void>(is_left_one_written());
  if (unrequested_.has_child()) {
    const DumpFile::State state = unrequested_.look(patience_);
    if (state != DumpFile::State::is_written) has_failed_ = state == DumpFile::State::failed;
  }
  if (!asked_for_.empty()) return true;
  if (unrequested_.has_child()) return false;
  switch (when_) {
    case When::never:
      return false;
    case When::at_signal:
      return is_requested_.exchange(false, std::memory_order_relaxed);
    case When::at_each_collection:
      return true;
  }
  __builtin_unreachable();
}

bool HeapDumps::is_left_one_written() {
  return left_.has_child() && left_.look(patience_) == DumpFile::State::is_written;
}

void HeapDumps::prepare(std::uint64_t collection) {
  if (!is_wanted()) return;
  is_on_request_ = !asked_for_.empty();
  const std::string path = base::expand_path(is_on_request_ ? asked_for_ : path_, collection);
  asked_for_.clear();
  at_hand_ = DumpFile(path);
  if (begin()) return;
  if (is_on_request_ || !std::exchange(has_failed_, true)) {
    const std::string reason(base::OwnFile::reason_of(errno));
    base::warn("the heap dump '" + path + "' cannot be written (" + reason + ")");
  }
  at_hand_.remove_part();
  drop_stream();
}

// Begins a dump. False, with the reason in errno.
bool HeapDumps::begin() {
  const std::span<std::byte> memory = base::PageMemory::allocate(sizeof(DumpStream));
  if (memory.empty()) {
    errno = ENOMEM;
    return false;
  }
  stream_ = new (memory.data()) DumpStream;
  return at_hand_.open(opened_) && stream_->begin(opened_);
}

void HeapDumps::release() {
  if (stream_ == nullptr) return;
  if (!at_hand_.has_child()) {
    at_hand_.remove_part();
    at_hand_.tell_failed();
  }
  (is_on_request_ ? requested_ : unrequested_) = std::exchange(at_hand_, {});
  drop_stream();
}

void HeapDumps::drop_stream() {
  opened_.close();
  if (stream_ == nullptr) return;
  stream_->~DumpStream();
  base::PageMemory::release(
      {reinterpret_cast<std::byte*>(std::exchange(stream_, nullptr)), sizeof(DumpStream)});
}

// Forks without fork handlers, and without a signal when the child ends.
pid_t HeapDumps::fork_child() { return static_cast<pid_t>(syscall(SYS_clone, 0UL, 0UL, 0UL, 0UL, 0UL)); }

// Resets signals in the child, whose parent blocked all of them: the program's handlers must not run there.
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

// Ends the child without the program's exit functions.
void HeapDumps::end_child(bool is_whole) {
  const bool is_there = at_hand_.finish(is_whole);
  if (!is_there && (is_on_request_ || !has_failed_)) at_hand_.tell_failed();
  syscall(SYS_exit_group, is_there ? 0 : 1);
  __builtin_unreachable();
}

}  // namespace jackdaw::gc
