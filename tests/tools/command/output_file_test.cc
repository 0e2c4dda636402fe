// OutputFile: what becomes of what was at its path.
#include "tools/command/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/temporary_folder.h"
#include "tools/command/input_error.h"

namespace jackdaw::tools {
namespace {

class OutputFileTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name = "out") const { return folder_.file(name); }
  [[nodiscard]] std::size_t files() const { return folder_.contents().size(); }
  static void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

 private:
  TemporaryFolder folder_;
};

TEST_F(OutputFileTest, ReplacesARegularFileWhenItIsWhole) {
  put(path(), "before");
  {
    OutputFile file("--json", path());
    file.write("now");
    EXPECT_EQ(read_file(path()), "before");
    file.commit();
  }
  EXPECT_EQ(read_file(path()), "now");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, LeavesNothingWhereASignalEndsTheCommand) {
  put(path(), "before");
  for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM}) {
    EXPECT_EXIT(
        {
          OutputFile file("--json", path());
          const OutputFile other("--csv", path("other"));
          file.write("now");
          raise(signal);
        },
        testing::KilledBySignal(signal), "");
    EXPECT_EQ(files(), 1U) << signal;
    EXPECT_EQ(read_file(path()), "before");
  }
}

TEST_F(OutputFileTest, KeepsWhatIsCompleteWhereASignalEndsTheCommand) {
  EXPECT_EXIT(
      {
        OutputFile file("--json", path());
        file.commit("now");
        raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
  EXPECT_EQ(read_file(path()), "now");
}

TEST_F(OutputFileTest, HasAPlaceForEachFileUntilItIsComplete) {
  EXPECT_EXIT(
      {
        for (int i = 0; i < 20; ++i) OutputFile("--json", path(std::to_string(i))).commit("now");
        const OutputFile last("--json", path("last"));
        raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
  EXPECT_EQ(files(), 20U);
}

TEST_F(OutputFileTest, LeavesTheFilesOfAForksParentAlone) {
  OutputFile file("--json", path());
  EXPECT_EXIT(raise(SIGTERM), testing::KilledBySignal(SIGTERM), "");
  file.commit("now");
  EXPECT_EQ(read_file(path()), "now");
}

TEST_F(OutputFileTest, LeavesSignalsIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);
        const OutputFile file("--json", path());
        raise(SIGHUP);
        _exit(files() == 1 ? 3 : 4);
      },
      testing::ExitedWithCode(3), "");
}

TEST_F(OutputFileTest, WritesThroughASymbolicLink) {
  put(path("target"), "what was there before");
  std::filesystem::create_symlink("target", path());
  OutputFile("--json", path()).commit("now");
  EXPECT_TRUE(std::filesystem::is_symlink(path()));
  EXPECT_EQ(read_file(path("target")), "now");
  EXPECT_EQ(files(), 2U);
}

TEST_F(OutputFileTest, MakesTheTargetOfALinkThatLeadsNowhere) {
  std::filesystem::create_symlink("target", path());
  OutputFile("--json", path()).commit("now");
  EXPECT_EQ(read_file(path("target")), "now");
  EXPECT_TRUE(std::filesystem::is_symlink(path()));
}

TEST_F(OutputFileTest, KeepsAFilesOtherNames) {
  put(path("other"), "before");
  std::filesystem::create_hard_link(path("other"), path());
  { const OutputFile unused("--json", path()); }
  EXPECT_EQ(read_file(path("other")), "before");
  OutputFile("--json", path()).commit("now");
  EXPECT_EQ(read_file(path("other")), "now");
}

TEST_F(OutputFileTest, WritesIntoAPipe) {
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  const int reader = open(path().c_str(), O_RDONLY | O_NONBLOCK);
  OutputFile("--json", path()).commit("now");
  std::array<char, 8> got{};
  EXPECT_EQ(read(reader, got.data(), got.size()), 3);
  EXPECT_STREQ(got.data(), "now");
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path()));
}

// The test makes a device file of its own, since a fault would remove the file that it is given.
TEST_F(OutputFileTest, WritesIntoADevice) {
  if (mknod(path().c_str(), S_IFCHR | 0600, 0x103) != 0) GTEST_SKIP() << "devices are root's to make";
  try {
    OutputFile("--json", path()).commit("now");
  } catch (const InputError&) {
    // The file system may have no devices.
  }
  EXPECT_TRUE(std::filesystem::is_character_file(path()));
}

TEST_F(OutputFileTest, SaysWhereAFileMayNotGrow) {
  const auto write_in_vain = [this] {
    const rlimit little{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &little);
    try {
      OutputFile("--json", path()).commit(std::string(10'000, ' '));
    } catch (const InputError&) {
      _exit(files() == 0 ? 0 : 1);
    }
    _exit(2);
  };
  EXPECT_EXIT(write_in_vain(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace jackdaw::tools
