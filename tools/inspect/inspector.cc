#include "tools/inspect/inspector.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/close_files.h"
#include "gc/process/threads/inspection_signal.h"
#include "tools/command/input_error.h"

namespace jackdaw::tools {

namespace {

[[noreturn]] void fail(pid_t process, const char* what) {
  throw InputError(fmt::format("process {} cannot be inspected: {} ({})", process, what,
                               std::generic_category().message(errno)));
}

std::string name_of(uid_t user) {
  const passwd* const entry = getpwuid(user);
  return entry != nullptr ? entry->pw_name : fmt::format("{}", user);
}

// The agent gives up the terminal, all files but two, the environment, and all rights but those of the user,
// who may then look into this process, and even make it act.
[[noreturn]] void be_opened(const RunningProcess& process, int file, int pipe, pid_t parent) {
  const uid_t user = process.user;
  const gid_t group = process.group;
  for (char* const* variable = environ; *variable != nullptr; ++variable)
    explicit_bzero(*variable, std::strlen(*variable));
  const bool is_users = setsid() >= 0 && base::close_all_but(std::array{file, pipe}) &&
                        setgroups(0, nullptr) == 0 && setresgid(group, group, group) == 0 &&
                        setresuid(user, user, user) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0 &&
                        prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
  if (is_users) {
    raise(SIGSTOP);  // this tells the parent
    for (;;) pause();
  }
  _exit(1);
}

}  // namespace

Inspector::Inspector(pid_t process) : process_(process), agent_(getpid()) {}

// The private constructor completes the object, so that the destructor runs also where something below
// throws.
Inspector::Inspector(const RunningProcess& process, Page question) : Inspector(process.number) {
  if (geteuid() != 0 && process.user != geteuid()) {
    throw InputError(
        fmt::format("process {} belongs to another user, {}; only that user and root may inspect it",
                    process_, name_of(process.user)));
  }
  if (!process.is_on_jackdaw) throw InputError(why_not_on_jackdaw(process_));
  if (!process.obstacle.empty()) throw InputError(fmt::format("process {} {}", process_, process.obstacle));
  file_ = memfd_create("jackdaw-inspection", MFD_CLOEXEC);
  question.inspected = process_;
  if (file_ < 0 || !write(question)) fail(process_, "there is no memory for it");
  if (process.user != geteuid()) start_agent(process, question.pipe);
  send();
}

Inspector::~Inspector() {
  end_agent();
  Page last = page();
  last.state = Page::State::withdrawn;
  write(last);
  close(file_);
}

void Inspector::start_agent(const RunningProcess& process, int pipe) {
  if (fchown(file_, process.user, process.group) != 0 ||
      (pipe >= 0 && fchown(pipe, process.user, process.group) != 0))
    fail(process_, "its user cannot be given a file");
  const pid_t parent = getpid();
  const pid_t agent = fork();
  if (agent < 0) fail(process_, "there is no process for its user");
  if (agent == 0) be_opened(process, file_, pipe, parent);
  agent_ = agent;
  int status = 0;
  const bool has_changed = waitpid(agent, &status, WUNTRACED) == agent;
  // Its number may be another process's by now, which end_agent() must not end.
  if (has_changed && !WIFSTOPPED(status)) agent_ = getpid();
  if (!has_changed || !WIFSTOPPED(status)) fail(process_, "no process can be given to its user");
}

void Inspector::ask_again(Page::Wish wish) {
  Page question = page();
  question.wish = wish;
  question.state = Page::State::asked;
  if (!write(question)) fail(process_, "there is no memory for it");
  send();
}

void Inspector::end_agent() {
  if (agent_ == getpid()) return;
  kill(agent_, SIGKILL);
  waitpid(agent_, nullptr, 0);
  agent_ = getpid();
}

void Inspector::send() const {
  siginfo_t info{};
  info.si_signo = gc::InspectionSignal::kNumber;
  info.si_code = SI_QUEUE;
  info.si_pid = agent_;
  info.si_uid = getuid();
  info.si_value.sival_ptr = gc::InspectionSignal::word_of(file_);
  if (syscall(SYS_rt_sigqueueinfo, process_, info.si_signo, &info) != 0)
    fail(process_, "no signal reaches it");
}

Inspector::Page Inspector::page() const {
  Page page;
  if (pread(file_, &page, sizeof page, 0) != static_cast<ssize_t>(sizeof page)) page = {};
  return page;
}

bool Inspector::write(const Page& page) const {
  return pwrite(file_, &page, sizeof page, 0) == static_cast<ssize_t>(sizeof page);
}

// A signal is lost while another inspector's is pending, so it is sent again.
bool Inspector::await_answer(std::chrono::milliseconds time) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kTimeToSendAgain{100};
  const Clock::time_point end = Clock::now() + time;
  Clock::time_point next = Clock::now() + kTimeToSendAgain;
  while (page().state == Page::State::asked) {
    const Clock::time_point now = Clock::now();
    if (now >= end || !is_running(process_)) return false;
    if (now >= next) {
      send();
      next = now + kTimeToSendAgain;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void Inspector::check_running(std::string_view deed) const {
  if (!is_running(process_))
    throw InputError(fmt::format("process {} has ended before it could {}", process_, deed));
}

Inspector::Page::State Inspector::await_begin(std::string_view deed, std::chrono::duration<double> patience) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kPatienceToAnswer{2};
  constexpr std::chrono::seconds kPatienceToLine{1};
  constexpr std::chrono::milliseconds kLook{10};
  if (!await_answer(kPatienceToAnswer)) {
    check_running(deed);
    throw InputError(
        fmt::format("process {} does not answer: it is stopped, blocks signal {}, or has no /proc", process_,
                    gc::InspectionSignal::kNumber));
  }
  const Clock::time_point start = Clock::now();
  bool is_told = false;
  for (;; std::this_thread::sleep_for(kLook)) {
    const Page::State state = page().state;
    if (state >= Page::State::begun) return state;
    check_running(deed);
    const Clock::duration waited = Clock::now() - start;
    if (waited >= patience) {
      throw InputError(fmt::format(
          "process {} has allocated nothing for {:.0f} s, and so did not {}; --timeout says how long to wait",
          process_, patience.count(), deed));
    }
    if (waited >= kPatienceToLine && !std::exchange(is_told, true))
      fmt::print(stderr, "jackdaw: process {} will {} when it next allocates; waiting for that\n", process_,
                 deed);
  }
}

}  // namespace jackdaw::tools
