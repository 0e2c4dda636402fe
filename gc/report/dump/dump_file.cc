#include "gc/report/dump/dump_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <thread>
#include <utility>

#include "base/replaced_file.h"
#include "base/warn.h"

namespace jackdaw::gc {

namespace {

using std::chrono::milliseconds;

// The time between two looks counts as idle time only up to this limit: the child may have been stopped, too,
// by a debugger or with the whole machine.
constexpr milliseconds kLongestIdle{1000};
constexpr milliseconds kLongestSleep{16};

}  // namespace

DumpFile::DumpFile(std::string path)
    : path_(std::move(path)),
      failure_("the heap dump '" + path_ +
               "' could not be written: no room for it, no memory, or too many processes") {}

bool DumpFile::open(base::OwnFile& file) {
  if (!base::may_be_replaced(path_.c_str())) return file.open(path_, base::OwnFile::Contents::replaced);
  std::string part = path_;
  if (!file.make_part(part)) return false;
  part_ = std::move(part);
  return true;
}

bool DumpFile::finish(bool is_whole) const {
  if (is_whole && (part_.empty() || rename(part_.c_str(), path_.c_str()) == 0)) return true;
  remove_part();
  return false;
}

void DumpFile::note_child(pid_t child) {
  child_ = child;
  looked_ = std::chrono::steady_clock::now();
}

void DumpFile::remove_part() const {
  if (!part_.empty()) unlink(part_.c_str());
}

void DumpFile::tell_failed() const { base::warn(failure_); }

DumpFile::State DumpFile::look(std::chrono::seconds patience) {
  constexpr int kHasNoSignal = static_cast<int>(__WCLONE);
  if (!has_child()) return State::failed;
  int status = 0;
  pid_t ended = waitpid(child_, &status, WNOHANG | kHasNoSignal);
  if (ended == 0 && !is_stuck(patience)) return State::is_written;
  if (ended == 0) {
    kill(child_, SIGKILL);
    while ((ended = waitpid(child_, &status, kHasNoSignal)) < 0 && errno == EINTR) {
    }
  }
  child_ = -1;
  if (ended < 0) return State::failed;  // this process was forked from the child's parent
  if (WIFSIGNALED(status)) {
    remove_part();
    tell_failed();
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? State::succeeded : State::failed;
}

// A child that waits, for a lock or for a pipe's reader, uses no processor time.
bool DumpFile::is_stuck(std::chrono::seconds patience) {
  clockid_t clock;
  timespec worked{};
  if (clock_getcpuclockid(child_, &clock) != 0 || clock_gettime(clock, &worked) != 0) return false;
  const auto now = std::chrono::steady_clock::now();
  const bool has_worked = worked.tv_sec != worked_.tv_sec || worked.tv_nsec != worked_.tv_nsec;
  idle_ = has_worked ? idle_.zero() : idle_ + std::min<std::chrono::nanoseconds>(now - looked_, kLongestIdle);
  worked_ = worked;
  looked_ = now;
  return patience != patience.zero() && idle_ >= patience;
}

bool DumpFile::await(std::chrono::seconds patience) {
  State state = look(patience);
  for (milliseconds time{1}; state == State::is_written; time = std::min(2 * time, kLongestSleep)) {
    std::this_thread::sleep_for(time);
    state = look(patience);
  }
  return state == State::succeeded;
}

}  // namespace jackdaw::gc
