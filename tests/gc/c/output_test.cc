// Functions and data that libgc exports without declaring them: output, and names with nothing behind them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

#include "gc/c/log.h"
#include "gc/c/start.h"
#include "gc/c/undeclared.h"

namespace jackdaw::c_interface {
namespace {

TEST(Output, GoesWhereItsNameSays) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  GC_printf("%s and %d\n", "out", 1);
  GC_err_printf("%s and %d\n", "err", 2);
  GC_log_printf("%s and %d\n", "log", 3);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "out and 1\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "err and 2\nlog and 3\n");
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  GC_set_log_fd(ends[1]);
  GC_log_printf("%lu", 42UL);
  GC_set_log_fd(STDERR_FILENO);
  std::array<char, 8> text{};
  EXPECT_EQ(read(ends[0], text.data(), text.size()), 2);
  EXPECT_STREQ(text.data(), "42");
  close(ends[0]);
  close(ends[1]);
}

TEST(Output, IsCutOff) {
  const std::string longer(3000, 'x');
  testing::internal::CaptureStdout();
  GC_printf("%s", longer.c_str());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), std::string(1023, 'x'));
}

TEST(Output, IsCutOffWhereNobodyReads) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  std::array<char, 4096> page{};
  while (write(ends[1], page.data(), page.size()) > 0) continue;
  GC_set_log_fd(ends[1]);
  GC_log_printf("dropped");
  // These are not waited for: all of them would take hours.
  for (int i = 0; i < 10'000; ++i) GC_log_printf("dropped, too");
  while (read(ends[0], page.data(), page.size()) > 0) continue;
  GC_log_printf("written");
  GC_set_log_fd(STDERR_FILENO);
  ASSERT_EQ(read(ends[0], page.data(), page.size()), 7);
  EXPECT_EQ(std::string(page.data(), 7), "written");
  close(ends[0]);
  close(ends[1]);
}

TEST(OutputDeathTest, ProgramsAreToldBeforeTheyAreAborted) {
  EXPECT_DEATH(
      {
        GC_set_abort_func([](const char* message) { GC_err_printf("<%s>", message); });
        abort_program("why");
      },
      "<why>");
  EXPECT_DEATH(
      {
        GC_on_abort = [](const char* message) { GC_err_printf("[%s]", message); };
        abort_program("why");
      },
      "\\[why\\]");
  EXPECT_EQ(GC_get_abort_func(), GC_on_abort);
  EXPECT_DEATH(abort_program("why"), "jackdaw: why");
}

int in_data = 1;

TEST(TemporaryRoots, AreTheDataOfWhatIsLoaded) {
  GC_init();
  GC_gcollect();
  int on_stack = 0;
  void* const object = GC_malloc_uncollectable(16);
  EXPECT_EQ(GC_is_tmp_root(&in_data), 1);
  EXPECT_EQ(GC_is_tmp_root(&on_stack), 0);
  EXPECT_EQ(GC_is_tmp_root(object), 0);
  EXPECT_EQ(GC_is_tmp_root(nullptr), 0);
  GC_add_roots(object, static_cast<char*>(object) + 16);
  GC_gcollect();
  EXPECT_EQ(GC_is_tmp_root(object), 0);
}

TEST(Names, ThatMeanNothingHereAreThere) {
  GC_noop1(1);
  EXPECT_EQ(GC_arrays, 0U);
  EXPECT_EQ(GC_use_entire_heap, 0);
}

}  // namespace
}  // namespace jackdaw::c_interface
