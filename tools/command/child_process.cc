#include "tools/command/child_process.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "tools/command/input_error.h"
#include "tools/command/printable_name.h"

namespace jackdaw::tools {

namespace {

// Returns the signals that this process takes one by one while it waits.
sigset_t awaited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

// Passes on signals that another process sent; the terminal's reach the child directly.
void take_signal(const sigset_t& signals, pid_t child) {
  siginfo_t signal{};
  const int number = sigwaitinfo(&signals, &signal);
  if (number > 0 && number != SIGCHLD && signal.si_code <= 0) kill(child, number);
}

}  // namespace

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers(words.size() + 1);
  std::transform(words.begin(), words.end(), pointers.begin(), [](std::string& word) { return word.data(); });
  return pointers;
}

void become(const std::string& path, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = arguments;
  execvp(path.c_str(), pointers_to(words).data());
}

int run_child(const std::string& path, const std::vector<std::string>& arguments) {
  const sigset_t signals = awaited_signals();
  sigset_t before;
  // The end of a child could not be awaited if it were ignored.
  std::signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    sigprocmask(SIG_SETMASK, &before, nullptr);
    throw InputError(fmt::format("no process for {} ({})", path, std::generic_category().message(error)));
  }
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    become(path, arguments);
    fmt::print(stderr, "jackdaw: {} cannot be executed ({})\n", printable(path),
               std::generic_category().message(errno));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) take_signal(signals, child);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace jackdaw::tools
