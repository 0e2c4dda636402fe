#include "tests/cli/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace jackdaw::cli {

namespace {

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

// The streams that a process is started with, and where they lead.
class Streams {
 public:
  Streams(const std::string& out, const std::string& err) {
    posix_spawn_file_actions_init(&actions_);
    constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, out.c_str(), kWrite, 0600);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, err.c_str(), kWrite, 0600);
  }
  ~Streams() { posix_spawn_file_actions_destroy(&actions_); }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) fail(errno, "waitpid");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Outcome run_jackdaw(const std::vector<std::string>& arguments, const std::string& stdout_path) {
  std::vector<std::string> words = {JACKDAW_TEST_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(std::move(words), stdout_path);
}

Outcome run_program(std::vector<std::string> words, const std::string& stdout_path) {
  const TemporaryFolder folder;
  const std::string out = stdout_path.empty() ? folder.file("out") : stdout_path;
  const Streams streams(out, folder.file("err"));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  pid_t process = 0;
  const int error = posix_spawn(&process, argv[0], streams.get(), nullptr, argv.data(), environ);
  if (error != 0) fail(error, argv[0]);
  Outcome outcome;
  outcome.status = wait_for(process);
  if (stdout_path.empty()) outcome.out = read_file(out);
  outcome.err = read_file(folder.file("err"));
  return outcome;
}

std::string java_heap_dump() { return JACKDAW_TEST_DATA "/javac.hprof.gz"; }

}  // namespace jackdaw::cli
