// main() of test programs whose tests start the process's collector, each in its own way. A test that is
// selected alone runs in this process, as CTest and debuggers want it. Of several, each runs in a child,
// which is forked while there is one thread and no collector. GoogleTest's flags keep their meaning, but
// --gtest_shuffle changes nothing, and --gtest_output tells of the last test only.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

/// The exit status of a child whose test was skipped, which GoogleTest and our sanitizers do not use.
constexpr int kSkipped = 77;

/// Shows what GoogleTest's printer shows of a test, without the beginning and the end of a run.
class TestPrinter : public testing::EmptyTestEventListener {
 public:
  explicit TestPrinter(testing::TestEventListener* printer) : printer_(printer) {}
  void OnTestStart(const testing::TestInfo& test) override { printer_->OnTestStart(test); }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    printer_->OnTestPartResult(result);
  }
  void OnTestEnd(const testing::TestInfo& test) override { printer_->OnTestEnd(test); }

 private:
  std::unique_ptr<testing::TestEventListener> printer_;
};

/// Returns the names of the tests that the flags select. GoogleTest selects them when it lists them.
std::vector<std::string> selected_tests() {
  testing::internal::CaptureStdout();
  GTEST_FLAG_SET(list_tests, true);
  [[maybe_unused]] const int status = RUN_ALL_TESTS();
  GTEST_FLAG_SET(list_tests, false);
  (void)testing::internal::GetCapturedStdout();
  std::vector<std::string> names;
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  for (int i = 0; i < tests.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *tests.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (test.should_run()) names.push_back(std::string(suite.name()) + "." + test.name());
    }
  }
  return names;
}

[[noreturn]] void run_in_this_process(const std::string& name) {
  GTEST_FLAG_SET(filter, name);
  GTEST_FLAG_SET(repeat, 1);
  // The name is one of the shard's: a shard of that one test could be empty.
  unsetenv("GTEST_TOTAL_SHARDS");
  unsetenv("GTEST_SHARD_INDEX");
  testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  testing::TestEventListeners& listeners = tests.listeners();
  listeners.Append(new TestPrinter(listeners.Release(listeners.default_result_printer())));
  const int status = RUN_ALL_TESTS();
  std::exit(status == 0 && tests.skipped_test_count() > 0 ? kSkipped : status);
}

/// Returns how the test's process ended, as waitpid tells it.
int run_in_child(const std::string& name) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) run_in_this_process(name);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    std::perror(name.c_str());
    std::exit(1);
  }
  return status;
}

/// Runs each test in a process of its own. Returns whether none failed.
bool run_each(const std::vector<std::string>& names) {
  std::size_t passed = 0;
  std::size_t skipped = 0;
  std::vector<std::string> failed;
  std::printf("[==========] Running %zu tests, each in a process of its own.\n", names.size());
  for (const std::string& name : names) {
    const int status = run_in_child(name);
    if (WIFSIGNALED(status)) {
      failed.push_back(name + ", killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
                       strsignal(WTERMSIG(status)) + ")");
    } else if (const int code = WEXITSTATUS(status); code != 0 && code != kSkipped) {
      failed.push_back(name + ", exit status " + std::to_string(code));
    } else {
      ++(code == 0 ? passed : skipped);
    }
    if (!failed.empty() && GTEST_FLAG_GET(fail_fast)) break;
  }
  std::printf("[==========] %zu tests: %zu passed, %zu failed, %zu skipped.\n", names.size(), passed,
              failed.size(), skipped);
  for (const std::string& name : failed) std::printf("[  FAILED  ] %s\n", name.c_str());
  return failed.empty();
}

}  // namespace

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  const int repeat = GTEST_FLAG_GET(repeat);
  const bool is_one_test = GTEST_FLAG_GET(filter).find_first_of("*?:-") == std::string::npos && repeat == 1;
  const bool is_death_test = !GTEST_FLAG_GET(internal_run_death_test).empty();
  if (is_one_test || is_death_test || GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  const std::vector<std::string> names = selected_tests();
  if (names.empty() || (names.size() == 1 && repeat == 1)) return RUN_ALL_TESTS();
  bool all_passed = true;
  for (int i = 0; i != repeat; ++i) all_passed = run_each(names) && all_passed;
  return all_passed ? 0 : 1;
}
