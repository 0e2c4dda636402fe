// OwnFile: what a program, other users and limits may do to a file of the collector's.
#include "base/own_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "tests/base/taken_numbers.h"
#include "tests/temporary_folder.h"

namespace jackdaw::base {
namespace {

class OwnFileTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name = "file") const { return folder_.file(name); }
  [[nodiscard]] std::string text(const std::string& name = "file") const { return read_file(path(name)); }
  static std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

 private:
  TemporaryFolder folder_;
};

TEST_F(OwnFileTest, IsItsOwnersAlone) {
  OwnFile kept;
  OwnFile part;
  std::string name = path("dump");
  ASSERT_TRUE(kept.open(path(), OwnFile::Contents::kept));
  ASSERT_TRUE(part.make_part(name));
  for (const std::string& file : {path(), name}) {
    struct stat status {};
    ASSERT_EQ(stat(file.c_str(), &status), 0) << file;
    EXPECT_EQ(status.st_mode & 0777, 0600U) << file;
  }
}

TEST_F(OwnFileTest, AddsToWhatIsKeptAndReplacesWhatIsNot) {
  std::ofstream(path()) << "before ";
  OwnFile file;
  ASSERT_TRUE(file.open(path(), OwnFile::Contents::kept));
  EXPECT_TRUE(file.write(bytes_of("after")));
  EXPECT_EQ(text(), "before after");
  ASSERT_TRUE(file.open(path(), OwnFile::Contents::replaced));
  EXPECT_TRUE(file.write_at(2, bytes_of("!")));
  EXPECT_EQ(text(), std::string("\0\0!", 3));
  EXPECT_TRUE(file.synchronise());
  OwnFile second;
  EXPECT_FALSE(second.open(path(), OwnFile::Contents::replaced));
  EXPECT_EQ(errno, EWOULDBLOCK);
  EXPECT_EQ(text().size(), 3U);
}

TEST_F(OwnFileTest, IsNoOtherFileOfTheProgram) {
  OwnFile file;
  ASSERT_TRUE(file.open(path(), OwnFile::Contents::kept));
  const TakenNumbers taken(path("of the program"));
  EXPECT_FALSE(file.write(bytes_of("x")));
  EXPECT_EQ(errno, EBADF);
  file.close();
  EXPECT_TRUE(taken.are_open());
  EXPECT_EQ(text("of the program"), "");
}

TEST_F(OwnFileTest, FollowsItsUsersLinks) {
  std::filesystem::create_symlink("target", path());
  OwnFile file;
  EXPECT_TRUE(file.open(path(), OwnFile::Contents::replaced));
  EXPECT_TRUE(std::filesystem::exists(path("target")));
}

TEST_F(OwnFileTest, FollowsNoLinksOfOthers) {
  std::ofstream(path("target")) << "mine";
  std::filesystem::create_symlink("target", path());
  if (lchown(path().c_str(), 12345, 12345) != 0) GTEST_SKIP() << "files are root's to give away";
  OwnFile file;
  EXPECT_FALSE(file.open(path(), OwnFile::Contents::replaced));
  EXPECT_EQ(errno, ELOOP);
  EXPECT_EQ(text("target"), "mine");
}

TEST_F(OwnFileTest, WaitsForNoReader) {
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  OwnFile file;
  EXPECT_FALSE(file.open(path(), OwnFile::Contents::kept));
  EXPECT_EQ(errno, ENXIO);
  const int reader = open(path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_TRUE(file.open(path(), OwnFile::Contents::kept));
  const std::string much(std::size_t{2} << 20, 'x');  // a pipe has room for 16 pages
  EXPECT_FALSE(file.write(bytes_of(much)));
  EXPECT_EQ(errno, EAGAIN);
  close(reader);
}

TEST_F(OwnFileTest, EndsNoProgramThatHasNoReader) {
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  const int reader = open(path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  OwnFile file;
  ASSERT_TRUE(file.open(path(), OwnFile::Contents::kept));
  close(reader);
  EXPECT_FALSE(file.write(bytes_of("x")));
  EXPECT_EQ(errno, EPIPE);
}

// In a process of its own, as limits stay.
TEST_F(OwnFileTest, EndsNoProgramWhoseFilesAreLimited) {
  const auto write_too_much = [this] {
    OwnFile file;
    const rlimit little{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &little);
    const std::string much(10'000, 'x');
    const bool is_told = file.open(path(), OwnFile::Contents::kept) && !file.write(bytes_of(much)) &&
                         errno == EFBIG && text().size() == 4096;
    _exit(is_told ? 0 : 1);
  };
  EXPECT_EXIT(write_too_much(), testing::ExitedWithCode(0), "");
}

TEST_F(OwnFileTest, MakesPartsOfNamesOfTheirOwn) {
  std::array<OwnFile, 2> files;
  std::array<std::string, 2> names{path(), path()};
  for (std::size_t i = 0; i < files.size(); ++i) {
    ASSERT_TRUE(files[i].make_part(names[i]));
    EXPECT_TRUE(names[i].starts_with(path() + ".") && names[i].ends_with(".part")) << names[i];
    EXPECT_TRUE(std::filesystem::exists(names[i]));
  }
  EXPECT_NE(names[0], names[1]);
}

}  // namespace
}  // namespace jackdaw::base
