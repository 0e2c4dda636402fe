// `jackdaw ps`, `jackdaw dump` and `jackdaw profile --pid`: what they tell of running programs that were
// started without variables, and whom they refuse.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/cli/process.h"
#include "tests/environment_variable.h"

namespace jackdaw::cli {
namespace {

#ifdef JACKDAW_INSPECTED_PROGRAM

using Words = std::vector<std::string>;

// A program that runs until this object is destroyed. It has written a line when the constructor returns.
class Running {
 public:
  explicit Running(Words words) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const int error = posix_spawn(&process_, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::array<char, 16> line{};
    is_ready_ = error == 0 && read(ends[0], line.data(), line.size()) > 0;
    close(ends[0]);
  }
  ~Running() { end(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  [[nodiscard]] bool is_ready() const { return is_ready_; }
  [[nodiscard]] pid_t process() const { return process_; }
  [[nodiscard]] std::string number() const { return std::to_string(process_); }
  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
  bool is_ready_ = false;
};

long lines_in(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

void expect_refused(const Outcome& outcome, const std::string& reason) {
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(reason), std::string::npos) << outcome.err;
  EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
}

// Dumps the program's heap and checks that its list is in there, and at most so many objects.
void expect_dump(const Running& program, int most_objects = std::numeric_limits<int>::max()) {
  ASSERT_TRUE(program.is_ready());
  const TemporaryFolder folder;
  const std::string path = folder.file("heap.dump");
  const Outcome outcome = run_jackdaw({"dump", program.number(), "-o", path});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(folder.contents(), (std::vector<std::string>{"heap.dump"}));
  EXPECT_EQ(read_file(path).substr(0, 4), "\x28\xb5\x2f\xfd") << "compressed";
  const Outcome heap = run_jackdaw({"heap", "dump:" + path, "--json", folder.file("json")});
  ASSERT_EQ(heap.status, 0) << heap.err;
  const nlohmann::json json = nlohmann::json::parse(read_file(folder.file("json")));
  EXPECT_GE(json["objects"].get<int>(), 1000) << heap.out;
  EXPECT_LE(json["objects"].get<int>(), most_objects) << heap.out;
  EXPECT_GE(json["references"].get<int>(), 999) << heap.out;
  EXPECT_EQ(kill(program.process(), 0), 0) << "the program goes on";
}

TEST(PsCommand, ListsAProgramWithItsFigures) {
  const Running program({JACKDAW_INSPECTED_PROGRAM, "rest"});
  ASSERT_TRUE(program.is_ready());
  const TemporaryFolder folder;
  const Outcome outcome = run_jackdaw({"ps", "--figures", program.number(), "--json", folder.file("json")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(program.number() + " "), std::string::npos) << outcome.out;
  const nlohmann::json json = nlohmann::json::parse(read_file(folder.file("json")));
  const auto& all = json["processes"];
  const auto found = std::find_if(all.begin(), all.end(), [&](const nlohmann::json& process) {
    return process["pid"] == program.process();
  });
  ASSERT_NE(found, all.end()) << json.dump();
  EXPECT_EQ((*found)["command"], std::string(JACKDAW_INSPECTED_PROGRAM) + " rest");
  EXPECT_EQ((*found)["collections"], 3);
  EXPECT_GE((*found)["live_bytes"], 16'000);
  EXPECT_GE((*found)["heap_bytes"], (*found)["live_bytes"]);
  EXPECT_GT((*found)["longest_pause_ms"], 0);
  EXPECT_GT((*found)["pauses_ms"], (*found)["longest_pause_ms"]);
  EXPECT_GT((*found)["processor_ms"], 0);
}

// A signal would end the program's wait.
TEST(PsCommand, LeavesProgramsAloneUnlessItIsToAsk) {
  const Running program({JACKDAW_INSPECTED_PROGRAM, "wait"});
  ASSERT_TRUE(program.is_ready());
  const TemporaryFolder folder;
  const Outcome outcome = run_jackdaw({"ps", "--json", folder.file("json")});
  EXPECT_NE(outcome.out.find(program.number() + " "), std::string::npos) << outcome.out;
  const std::string json = read_file(folder.file("json"));
  EXPECT_NE(json.find("resident_bytes"), std::string::npos) << json;
  EXPECT_EQ(json.find("heap_bytes"), std::string::npos) << json;
  EXPECT_EQ(waitpid(program.process(), nullptr, WNOHANG), 0) << "the program has not ended";
  // It may not wait yet when the first question comes.
  siginfo_t end{};
  while (waitid(P_PID, static_cast<id_t>(program.process()), &end, WEXITED | WNOWAIT | WNOHANG) == 0 &&
         end.si_pid == 0)
    run_jackdaw({"ps", "--figures", program.number()});
  EXPECT_EQ(end.si_status, 7) << "a question ends the wait";
}

TEST(PsCommand, ListsAProgramWhoseFileIsReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder.file("program");
  std::filesystem::copy_file(JACKDAW_INSPECTED_PROGRAM, path);
  const Running program({path, "allocate"});
  ASSERT_TRUE(program.is_ready());
  std::filesystem::remove(path);
  std::filesystem::copy_file("/bin/true", path);
  const Outcome outcome = run_jackdaw({"ps"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(program.number() + " "), std::string::npos) << outcome.out;
  expect_dump(program);
}

TEST(PsCommand, LeavesOutOtherPrograms) {
  const Outcome outcome = run_jackdaw({"ps"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out.find(std::to_string(getpid()) + " "), std::string::npos) << outcome.out;
  expect_refused(run_jackdaw({"ps", std::to_string(getpid())}), "does not run on Jackdaw");
}

TEST(DumpCommand, DumpsAProgramThatAllocates) {
  expect_dump(Running({JACKDAW_INSPECTED_PROGRAM, "allocate"}));
}

TEST(DumpCommand, DumpsAProgramThatHasClosedAllFiles) {
  expect_dump(Running({JACKDAW_INSPECTED_PROGRAM, "close-all"}));
}

// Its collector has a thread, as it has given memory back.
TEST(DumpCommand, DumpsAProgramThatRests) {
  const char* const markers = getenv("JACKDAW_MARKERS");
  if (markers != nullptr || std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "no such thread";
  expect_dump(Running({JACKDAW_INSPECTED_PROGRAM, "rest-after-much"}));
}

TEST(DumpCommand, LeavesOutWhatWasFreedByHand) {
  expect_dump(Running({JACKDAW_INSPECTED_PROGRAM, "allocate-and-free"}), 1100);
}

TEST(DumpCommand, GivesUpOnAProgramThatNeverAllocates) {
  const Running program({JACKDAW_INSPECTED_PROGRAM, "rest"});
  const TemporaryFolder folder;
  const Outcome outcome =
      run_jackdaw({"dump", program.number(), "-o", folder.file("dump"), "--timeout", "0.2"});
  expect_refused(outcome, "process " + program.number() + " has allocated nothing");
  EXPECT_TRUE(folder.contents().empty());
  EXPECT_EQ(kill(program.process(), 0), 0);
}

TEST(DumpCommand, RefusesAProgramThatHides) {
  const Running program({JACKDAW_INSPECTED_PROGRAM, "hide"});
  const TemporaryFolder folder;
  expect_refused(run_jackdaw({"dump", program.number(), "-o", folder.file("dump")}),
                 "process " + program.number());
  EXPECT_TRUE(folder.contents().empty());
  EXPECT_EQ(kill(program.process(), 0), 0);
}

// A filter might end the program for what its collector would do. No signal is sent.
TEST(DumpCommand, RefusesAProgramUnderAFilterOfSystemCalls) {
  const Running program({JACKDAW_INSPECTED_PROGRAM, "filter"});
  if (!program.is_ready()) GTEST_SKIP() << "no filter can be installed";
  const TemporaryFolder folder;
  expect_refused(run_jackdaw({"dump", program.number(), "-o", folder.file("dump")}),
                 "process " + program.number() + " has a filter of system calls of its own");
  EXPECT_TRUE(folder.contents().empty());
  const Outcome list = run_jackdaw({"ps", "--figures", program.number()});
  EXPECT_NE(list.out.find(" filter (has a filter of system calls"), std::string::npos) << list.out;
}

TEST(DumpCommand, RefusesAProcessThatIsNotThereOrNotOnJackdaw) {
  const TemporaryFolder folder;
  Running program({JACKDAW_INSPECTED_PROGRAM, "rest"});
  const std::string ended = program.number();
  program.end();
  expect_refused(run_jackdaw({"dump", ended, "-o", folder.file("dump")}), "there is no process " + ended);
  expect_refused(run_jackdaw({"dump", std::to_string(getpid()), "-o", folder.file("dump")}),
                 "does not run on Jackdaw");
  EXPECT_TRUE(folder.contents().empty());
}

// Waits until the command has made its file, or has ended.
void await_file(const TemporaryFolder& folder, const std::future<Outcome>& command) {
  while (folder.contents().empty() &&
         command.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout)
    continue;
}

// One line says so, whether the program ends when the command begins or when it has its file.
TEST(DumpCommand, NoticesThatTheProgramEnds) {
  for (const bool is_begun : {false, true}) {
    Running program({JACKDAW_INSPECTED_PROGRAM, "rest"});
    const std::string number = program.number();
    const TemporaryFolder folder;
    auto command = std::async(std::launch::async, [&] {
      return run_jackdaw({"dump", number, "-o", folder.file("dump"), "--timeout", "1000"});
    });
    if (is_begun) await_file(folder, command);
    program.end();
    expect_refused(command.get(), "process " + number);
    EXPECT_TRUE(folder.contents().empty());
  }
}

// Returns the words that run a command as a user without rights.
Words as_nobody(Words words) {
  const Words before = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  words.insert(words.begin(), before.begin(), before.end());
  return words;
}

bool can_be_nobody() {
  return geteuid() == 0 && run_program(as_nobody({JACKDAW_TEST_BINARY, "--version"})).status == 0;
}

TEST(DumpCommand, RefusesAnotherUser) {
  if (!can_be_nobody()) GTEST_SKIP() << "only root can run programs as another user";
  const Running program({JACKDAW_INSPECTED_PROGRAM, "allocate"});
  ASSERT_TRUE(program.is_ready());
  expect_refused(run_program(as_nobody({JACKDAW_TEST_BINARY, "dump", program.number(), "-o", "/dev/null"})),
                 "belongs to another user, root");
}

TEST(DumpCommand, LetsRootDumpAnotherUsersProgram) {
  if (!can_be_nobody()) GTEST_SKIP() << "only root can run programs as another user";
  expect_dump(Running(as_nobody({JACKDAW_INSPECTED_PROGRAM, "allocate"})));
}

// The dump does not fit into the pipe, so the program still writes when the command reads.
TEST(DumpCommand, LetsRootDumpAnotherUsersBigProgram) {
  if (!can_be_nobody()) GTEST_SKIP() << "only root can run programs as another user";
  expect_dump(Running(as_nobody({JACKDAW_INSPECTED_PROGRAM, "allocate-with-much"})));
}

// Returns what is in a file of /proc; nothing if the process has ended.
std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the stopped process of the user without rights that a command started which has this argument; 0:
// none is there yet.
pid_t find_agent(const std::string& argument) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string status = contents_of(entry.path() / "status");
    const std::size_t parent = status.find("PPid:\t");
    if (status.starts_with("Name:\tjackdaw\n") && status.find("State:\tT") != std::string::npos &&
        status.find("Uid:\t65534") != std::string::npos &&
        contents_of("/proc/" + std::to_string(std::stoi(status.substr(parent + 6))) + "/cmdline")
                .find('\0' + argument + '\0') != std::string::npos)
      return std::stoi(entry.path().filename());
  }
  return 0;
}

// Root's agent for a user may be traced by that user: it must hold nothing else of root's.
TEST(DumpCommand, GivesAUserTwoFilesAlone) {
  if (!can_be_nobody()) GTEST_SKIP() << "only root can run programs as another user";
  const Running program(as_nobody({JACKDAW_INSPECTED_PROGRAM, "rest"}));
  ASSERT_EQ(kill(program.process(), SIGSTOP), 0);
  const TemporaryFolder folder;
  const auto command = std::async(std::launch::async, [&] {
    return run_jackdaw({"dump", program.number(), "-o", folder.file("dump")});
  });
  pid_t agent = 0;
  while ((agent = find_agent(program.number())) == 0)
    ASSERT_NE(command.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  const std::string files = "/proc/" + std::to_string(agent);
  std::vector<std::string> opened;
  for (const auto& entry : std::filesystem::directory_iterator(files + "/fd"))
    opened.push_back(std::filesystem::read_symlink(entry.path()).string().substr(0, 5));
  std::ranges::sort(opened);
  EXPECT_EQ(opened, (std::vector<std::string>{"/memf", "pipe:"}));
  EXPECT_EQ(contents_of(files + "/environ").find_first_not_of('\0'), std::string::npos);
  EXPECT_EQ(getsid(agent), agent) << "it has no terminal";
}

TEST(DumpCommand, DumpsAUsersOwnProgram) {
  if (!can_be_nobody()) GTEST_SKIP() << "only root can run programs as another user";
  const Running program(as_nobody({JACKDAW_INSPECTED_PROGRAM, "allocate"}));
  ASSERT_TRUE(program.is_ready());
  const Outcome outcome =
      run_program(as_nobody({JACKDAW_TEST_BINARY, "dump", program.number(), "-o", "/dev/null"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

// Takes a profile of the program and returns what it says of its first place.
nlohmann::json hottest_place(const Running& program) {
  const TemporaryFolder folder;
  const Outcome outcome = run_jackdaw({"profile", "--pid", program.number(), "--for", "0.3s", "--every", "1k",
                                       folder.file("profile"), "--json", folder.file("json")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  if (outcome.status != 0) return {{"site", ""}, {"objects", 0.0}};
  EXPECT_EQ(folder.contents(), (std::vector<std::string>{"json", "profile"}));
  const nlohmann::json json = nlohmann::json::parse(read_file(folder.file("json")));
  EXPECT_EQ(json["every_bytes"], 1024);
  EXPECT_EQ(kill(program.process(), 0), 0) << "the program goes on";
  EXPECT_FALSE(json["sites"].empty());
  return json["sites"].empty() ? nlohmann::json{{"site", ""}, {"objects", 0.0}} : json["sites"][0];
}

// A second profile begins anew.
TEST(ProfileCommand, TakesProfilesOfAProgramThatAllocates) {
  const Running program({JACKDAW_INSPECTED_PROGRAM, "allocate"});
  ASSERT_TRUE(program.is_ready());
  for (int i = 0; i < 2; ++i) {
    const nlohmann::json place = hottest_place(program);
    EXPECT_EQ(place["site"].get<std::string>().substr(0, 12), "make_garbage") << place;
    EXPECT_GT(place["objects"].get<double>(), 1000);
  }
}

TEST(ProfileCommand, LetsRootTakeOneOfAnotherUsersProgram) {
  if (!can_be_nobody()) GTEST_SKIP() << "only root can run programs as another user";
  const Running program(as_nobody({JACKDAW_INSPECTED_PROGRAM, "allocate"}));
  ASSERT_TRUE(program.is_ready());
  EXPECT_GT(hottest_place(program)["objects"].get<double>(), 1000);
}

void expect_no_profile(const Running& program, const std::string& reason, const Words& more = {}) {
  const TemporaryFolder folder;
  Words words = {"profile", "--pid", program.number(), "--for", "0.1", folder.file("profile")};
  words.insert(words.end(), more.begin(), more.end());
  expect_refused(run_jackdaw(words), "process " + program.number() + reason);
  EXPECT_TRUE(folder.contents().empty());
}

TEST(ProfileCommand, RefusesAProgramThatTakesOneItself) {
  const TemporaryFolder folder;
  const Variable profile("JACKDAW_PROFILE", folder.file("own"));
  const Running program({JACKDAW_INSPECTED_PROGRAM, "allocate"});
  ASSERT_TRUE(program.is_ready());
  expect_no_profile(program, " has a profile already");
}

TEST(ProfileCommand, GivesUpOnAProgramThatNeverAllocates) {
  const Running program({JACKDAW_INSPECTED_PROGRAM, "rest"});
  expect_no_profile(program, " has allocated nothing", {"--timeout", "0.2"});
}

TEST(ProfileCommand, RefusesAProgramThatHides) {
  expect_no_profile(Running({JACKDAW_INSPECTED_PROGRAM, "hide"}), " ");
}

TEST(ProfileCommand, RefusesAnotherUser) {
  if (!can_be_nobody()) GTEST_SKIP() << "only root can run programs as another user";
  const Running program({JACKDAW_INSPECTED_PROGRAM, "allocate"});
  ASSERT_TRUE(program.is_ready());
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  expect_refused(run_program(as_nobody(
                     {JACKDAW_TEST_BINARY, "profile", "--pid", program.number(), folder.file("profile")})),
                 "belongs to another user, root");
  EXPECT_TRUE(folder.contents().empty());
}

TEST(ProfileCommand, NoticesThatTheProgramEnds) {
  Running program({JACKDAW_INSPECTED_PROGRAM, "allocate"});
  ASSERT_TRUE(program.is_ready());
  const std::string number = program.number();
  const TemporaryFolder folder;
  auto command = std::async(std::launch::async, [&] {
    return run_jackdaw({"profile", "--pid", number, "--for", "1h", folder.file("profile")});
  });
  await_file(folder, command);
  program.end();
  expect_refused(command.get(), "process " + number);
  EXPECT_TRUE(folder.contents().empty());
}

TEST(ProfileCommand, LeavesTheProgramAloneWhereFilesAreLimited) {
  const Running program({"/usr/bin/prlimit", "--fsize=600", JACKDAW_INSPECTED_PROGRAM, "allocate"});
  ASSERT_TRUE(program.is_ready());
  expect_no_profile(program, " could not write the profile", {"--every", "1k"});
  EXPECT_EQ(kill(program.process(), 0), 0) << "the program goes on";
  const TemporaryFolder folder;
  EXPECT_EQ(run_jackdaw({"ps", "--figures", program.number()}).status, 0);
}

TEST(ProfileCommand, RefusesAFileThatCannotBeReadAgain) {
  const Running program({JACKDAW_INSPECTED_PROGRAM, "allocate"});
  ASSERT_TRUE(program.is_ready());
  expect_refused(run_jackdaw({"profile", "--pid", program.number(), "--for", "1h", "/dev/null"}),
                 "FILE '/dev/null' must be a regular file or a new one");
}

TEST(ProfileCommand, RefusesTimesAndIntervalsThatAreNone) {
  const TemporaryFolder folder;
  const auto refused = [&](const Words& words, const std::string& reason) {
    Words all = {"profile", folder.file("profile")};
    all.insert(all.end(), words.begin(), words.end());
    expect_refused(run_jackdaw(all), reason);
  };
  refused({"--for", "1s"}, "--for requires --pid");
  refused({"--pid", "1", "--for", "soon"}, "--for");
  refused({"--pid", "1", "--every", "0"}, "--every");
}

#endif

}  // namespace
}  // namespace jackdaw::cli
