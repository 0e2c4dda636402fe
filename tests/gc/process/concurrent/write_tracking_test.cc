// Which pages were written: of mappings of every kind, while threads, system calls and other processes write,
// and where the system refuses to tell.
#include "gc/process/concurrent/write_tracking.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/deny_system_call.h"
#include "tests/gc/process/hidden_lists.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

constexpr std::size_t kHugeBytes = std::size_t{2} << 20;

std::size_t page_bytes() { return static_cast<std::size_t>(getpagesize()); }

// Anonymous memory of small pages, aligned as huge pages are.
class Pages {
 public:
  explicit Pages(std::size_t count, int flags = 0)
      : bytes_(count * page_bytes() + kHugeBytes),
        mapped_(static_cast<char*>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0))),
        count_(count) {
    if (mapped_ == MAP_FAILED) throw std::bad_alloc();
    madvise(mapped_, bytes_, MADV_NOHUGEPAGE);
    first_ = mapped_ + (-reinterpret_cast<std::uintptr_t>(mapped_) & (kHugeBytes - 1));
  }
  ~Pages() { munmap(mapped_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return count_ * page_bytes(); }
  [[nodiscard]] char* at(std::size_t page) const { return first_ + page * page_bytes(); }
  [[nodiscard]] base::AddressRange range(std::size_t from, std::size_t to) const {
    return {reinterpret_cast<std::uintptr_t>(at(from)), reinterpret_cast<std::uintptr_t>(at(to))};
  }
  [[nodiscard]] base::AddressRange range() const { return range(0, count_); }
  void write(std::size_t page) const { *static_cast<volatile char*>(at(page) + page % page_bytes()) = 1; }
  void write_all() const {
    for (std::size_t page = 0; page < count_; ++page) write(page);
  }
  char read(std::size_t page) const { return *static_cast<volatile char*>(at(page)); }
  [[nodiscard]] std::size_t index(std::uintptr_t address) const {
    return (address - reinterpret_cast<std::uintptr_t>(first_)) / page_bytes();
  }

 private:
  std::size_t bytes_;
  char* mapped_;
  std::size_t count_;
  char* first_;
};

using Indices = std::vector<std::size_t>;

// A test's operations on pages, as the method at hand allows them.
struct Tracked {
  WriteTracking& tracking;
  const Pages& pages;

  void watch() const { ASSERT_TRUE(tracking.watch(pages.range())); }
  void arm() const {
    const base::AddressRange range = pages.range();
    ASSERT_TRUE(tracking.arm({&range, 1}));
  }
  // Without arming.
  [[nodiscard]] Indices written() const {
    Indices found;
    EXPECT_TRUE(tracking.for_each_dirty(pages.range(), [&](base::AddressRange run) { add(found, run); }));
    return found;
  }
  // Claims pages and protects them. No thread may write meanwhile unless pages can be protected while it
  // runs.
  [[nodiscard]] Indices take() const {
    if (!tracking.arms_while_running()) {
      Indices found = written();
      arm();
      return found;
    }
    Indices found;
    EXPECT_TRUE(tracking.claim_dirty(pages.range(), [&](base::AddressRange run) { add(found, run); }));
    return found;
  }
  void add(Indices& found, base::AddressRange run) const {
    EXPECT_TRUE(!run.empty() && pages.range().contains(run));
    // Runs are as long as can be, and in order.
    EXPECT_TRUE(found.empty() || found.back() + 1 < pages.index(run.begin));
    for (std::size_t page = pages.index(run.begin); page < pages.index(run.end); ++page)
      found.push_back(page);
  }
};

class WriteTrackingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (tracking_.start() == WriteTrackingMethod::none) GTEST_SKIP() << "the system tracks no writes";
  }
  // Watched, populated and armed.
  Tracked armed(const Pages& pages) {
    const Tracked tracked{tracking_, pages};
    tracked.watch();
    pages.write_all();
    tracked.arm();
    return tracked;
  }

  WriteTracking tracking_;
};

// Returns what `function` returns in a child process.
template <typename Function>
int status_in_child(Function function) {
  const pid_t child = fork();
  if (child == 0) _exit(function());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// In a child: 0 when all of a new method works, 1 when there is none.
int status_of_method(WriteTracking& tracking) {
  if (tracking.start() == WriteTrackingMethod::none) return 1;
  const Pages pages(4);
  const base::AddressRange range = pages.range();
  Indices found;
  if (!tracking.watch(range)) return 2;
  pages.write_all();
  if (!tracking.arm({&range, 1})) return 3;
  pages.write(2);
  const bool is_told = tracking.for_each_dirty(range, [&](base::AddressRange run) {
    found.push_back(pages.index(run.begin));
    found.push_back(pages.index(run.end));
  });
  return is_told && found == Indices{2, 3} ? 0 : 4;
}

TEST(WriteTrackingMethods, IsTheOneThatIsExpected) {
  const char* const expected = std::getenv("EXPECTED_WRITE_TRACKING");
  if (expected == nullptr) GTEST_SKIP() << "EXPECTED_WRITE_TRACKING is not set";
  constexpr std::array kNames{"none", "pagemap_scan", "soft_dirty"};
  WriteTracking tracking;
  EXPECT_STREQ(kNames[static_cast<std::size_t>(tracking.start())], expected);
}

TEST(WriteTrackingMethods, IsNoneBeforeTheStart) {
  WriteTracking tracking;
  const Pages pages(1);
  const base::AddressRange range = pages.range();
  EXPECT_EQ(tracking.method(), WriteTrackingMethod::none);
  EXPECT_FALSE(tracking.watch(range));
  EXPECT_FALSE(tracking.arm({&range, 1}));
  EXPECT_FALSE(tracking.for_each_dirty(range, [](base::AddressRange) {}));
  EXPECT_FALSE(tracking.claim_dirty(range, [](base::AddressRange) {}));
}

TEST_F(WriteTrackingTest, StartsOnce) {
  const auto lowest_free = [] {
    const int number = dup(STDERR_FILENO);
    close(number);
    return number;
  };
  const WriteTrackingMethod method = tracking_.method();
  const Pages pages(4);
  const Tracked tracked = armed(pages);
  const int free = lowest_free();
  EXPECT_EQ(tracking_.start(), method);
  EXPECT_EQ(lowest_free(), free);
  pages.write(3);
  EXPECT_EQ(tracked.written(), Indices{3});
}

TEST_F(WriteTrackingTest, TellsWhatWasWritten) {
  const Pages pages(100);
  const Tracked tracked = armed(pages);
  EXPECT_EQ(tracked.written(), Indices{});
  for (const std::size_t page : Indices{0, 7, 8, 9, 50, 99}) pages.write(page);
  EXPECT_EQ(tracked.written(), (Indices{0, 7, 8, 9, 50, 99}));
  EXPECT_EQ(tracked.take(), (Indices{0, 7, 8, 9, 50, 99}));
  EXPECT_EQ(tracked.take(), Indices{});
  pages.write(8);
  EXPECT_EQ(tracked.take(), Indices{8});
}

TEST_F(WriteTrackingTest, TellsOfPartsOfWhatIsWatched) {
  const Pages pages(20);
  const Tracked tracked = armed(pages);
  for (const std::size_t page : Indices{3, 4, 5, 6}) pages.write(page);
  Indices found;
  EXPECT_TRUE(
      tracking_.for_each_dirty(pages.range(4, 6), [&](base::AddressRange run) { tracked.add(found, run); }));
  EXPECT_EQ(found, (Indices{4, 5}));
  EXPECT_TRUE(tracking_.for_each_dirty(pages.range(4, 4), [](base::AddressRange) { FAIL(); }));
}

TEST_F(WriteTrackingTest, TellsOfManyRuns) {
  const Pages pages(10000);
  const Tracked tracked = armed(pages);
  Indices expected;
  for (std::size_t page = 0; page < pages.count(); page += page % 700 == 0 ? 1 : 2) {
    pages.write(page);
    expected.push_back(page);
  }
  EXPECT_EQ(tracked.written(), expected);
  EXPECT_EQ(tracked.take(), expected);
  EXPECT_EQ(tracked.take(), Indices{});
}

TEST_F(WriteTrackingTest, PerhapsWrittenIsWhatIsWrittenOrHoldsNothing) {
  const Pages pages(4000);
  const Tracked tracked = armed(pages);
  const auto perhaps_written = [&] {
    Indices found;
    EXPECT_TRUE(tracking_.for_each_perhaps_dirty(pages.range(),
                                                 [&](base::AddressRange run) { tracked.add(found, run); }));
    return found;
  };
  EXPECT_EQ(perhaps_written(), Indices{});
  for (const std::size_t page : Indices{0, 7, 8, 9, 50, 3999}) pages.write(page);
  EXPECT_EQ(perhaps_written(), (Indices{0, 7, 8, 9, 50, 3999}));
  for (std::size_t page = 100; page < 1000; page += 2) pages.write(page);
  EXPECT_EQ(perhaps_written(), tracked.written());
  madvise(pages.at(1000), 2000 * page_bytes(), MADV_DONTNEED);
  const Indices perhaps = perhaps_written();
  EXPECT_TRUE(std::ranges::includes(perhaps, tracked.written()));
  const Indices written = tracked.written();
  for (const std::size_t page : perhaps)
    EXPECT_TRUE(std::ranges::binary_search(written, page) || (page >= 1000 && page < 3000)) << page;
}

TEST_F(WriteTrackingTest, PagesThatAreDisarmedCountAsWritten) {
  const Pages pages(20);
  const Tracked tracked = armed(pages);
  EXPECT_EQ(tracking_.disarm(pages.range(5, 8)), tracking_.arms_while_running());
  if (tracking_.arms_while_running()) {
    EXPECT_EQ(tracked.take(), (Indices{5, 6, 7}));
  }
  EXPECT_EQ(tracked.written(), Indices{});
}

TEST_F(WriteTrackingTest, TakesOnlyWhereItCanArm) {
  const Pages pages(3);
  armed(pages);
  EXPECT_EQ(tracking_.claim_dirty(pages.range(), [](base::AddressRange) {}), tracking_.arms_while_running());
  base::AddressRange range = pages.range();
  EXPECT_EQ(tracking_.claim_some_dirty(range, [](base::AddressRange) {}), tracking_.arms_while_running());
}

TEST_F(WriteTrackingTest, ArmsSeveralRangesAtOnce) {
  const Pages pages(30);
  const Tracked tracked{tracking_, pages};
  tracked.watch();
  pages.write_all();
  const std::array<base::AddressRange, 2> ranges{pages.range(0, 10), pages.range(10, 30)};
  EXPECT_TRUE(tracking_.arm(ranges));
  EXPECT_EQ(tracked.written(), Indices{});
}

TEST_F(WriteTrackingTest, TakesPagesThatWereNeverArmedForWritten) {
  const Pages pages(12);
  const Tracked tracked{tracking_, pages};
  tracked.watch();
  EXPECT_EQ(tracked.written(), Indices{});
  for (const std::size_t page : Indices{1, 2, 11}) pages.write(page);
  EXPECT_EQ(tracked.take(), (Indices{1, 2, 11}));
  for (const std::size_t page : Indices{2, 3}) pages.write(page);
  EXPECT_EQ(tracked.take(), (Indices{2, 3}));
}

TEST_F(WriteTrackingTest, MayBeToldToWatchTwice) {
  const Pages pages(8);
  const Tracked tracked = armed(pages);
  pages.write(5);
  tracked.watch();
  EXPECT_EQ(tracked.written(), Indices{5});
}

TEST_F(WriteTrackingTest, LeavesErrnoAlone) {
  const Pages pages(8);
  const base::AddressRange unmapped{page_bytes(), 2 * page_bytes()};
  errno = 5;
  armed(pages);
  tracking_.watch(unmapped);
  tracking_.start();
  tracking_.for_each_dirty(pages.range(), [](base::AddressRange) { errno = 6; });
  EXPECT_EQ(errno, 5);
}

// ---- kinds of memory ---------------------------------------------------------------------------------

TEST_F(WriteTrackingTest, ReadsOfUntouchedPagesHideNoWrite) {
  const Pages pages(40);
  const Tracked tracked{tracking_, pages};
  tracked.watch();
  for (std::size_t page = 0; page < 10; ++page) EXPECT_EQ(pages.read(page), 0);
  tracked.arm();
  for (std::size_t page = 0; page < 20; ++page) EXPECT_EQ(pages.read(page), 0);
  for (std::size_t page = 5; page < 15; ++page) pages.write(page);
  for (std::size_t page = 0; page < 20; ++page) EXPECT_EQ(pages.read(page), 0);
  const Indices found = tracked.take();
  for (std::size_t page = 5; page < 15; ++page) EXPECT_TRUE(std::ranges::binary_search(found, page)) << page;
  pages.write(9);
  EXPECT_EQ(tracked.take(), Indices{9});
}

TEST_F(WriteTrackingTest, TellsOfPagesThatWereGivenBackAndFilledAgain) {
  const Pages pages(20);
  const Tracked tracked = armed(pages);
  ASSERT_EQ(madvise(pages.at(4), 8 * page_bytes(), MADV_DONTNEED), 0);
  EXPECT_EQ(tracked.written(), Indices{});
  for (const std::size_t page : Indices{5, 6}) pages.write(page);
  EXPECT_EQ(tracked.take(), (Indices{5, 6}));
  // A memory allocator does this, with the page still protected.
  ASSERT_EQ(madvise(pages.at(6), page_bytes(), MADV_FREE), 0);
  pages.write(6);
  EXPECT_EQ(tracked.take(), Indices{6});
}

TEST_F(WriteTrackingTest, NewMappingsAreWatchedAnew) {
  const Pages pages(20);
  const Tracked tracked = armed(pages);
  ASSERT_EQ(mmap(pages.at(5), 5 * page_bytes(), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
            pages.at(5));
  pages.write(7);
  EXPECT_NE(tracking_.for_each_dirty(pages.range(), [](base::AddressRange) {}),
            tracking_.arms_while_running());
  tracked.watch();
  EXPECT_EQ(tracked.written(), Indices{7});
  EXPECT_EQ(tracked.take(), Indices{7});
  pages.write(5);
  EXPECT_EQ(tracked.take(), Indices{5});
}

TEST_F(WriteTrackingTest, SurvivesChangesOfProtection) {
  const Pages pages(20);
  const Tracked tracked = armed(pages);
  for (const int protection : {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE})
    ASSERT_EQ(mprotect(pages.at(5), 5 * page_bytes(), protection), 0);
  EXPECT_EQ(tracked.written(), Indices{});
  pages.write(7);
  EXPECT_EQ(tracked.take(), Indices{7});
}

TEST_F(WriteTrackingTest, OfLockedMemory) {
  const Pages pages(8);
  if (mlock(pages.at(0), pages.bytes()) != 0) GTEST_SKIP() << "memory cannot be locked";
  const Tracked tracked = armed(pages);
  EXPECT_EQ(tracked.written(), Indices{});
  pages.write(3);
  EXPECT_EQ(tracked.take(), Indices{3});
}

TEST_F(WriteTrackingTest, OfMemoryThatIsNotReserved) {
  const Pages pages(100, MAP_NORESERVE);
  const Tracked tracked = armed(pages);
  pages.write(42);
  EXPECT_EQ(tracked.take(), Indices{42});
}

// Where there is no swap space the pages stay.
TEST_F(WriteTrackingTest, OfPagesThatAreSwappedOut) {
  const Pages pages(50);
  const Tracked tracked = armed(pages);
  pages.write(7);
  madvise(pages.at(0), pages.bytes(), MADV_PAGEOUT);
  EXPECT_EQ(tracked.take(), Indices{7});
  madvise(pages.at(0), pages.bytes(), MADV_PAGEOUT);
  for (std::size_t page = 0; page < pages.count(); ++page) pages.read(page);
  EXPECT_EQ(tracked.written(), Indices{});
  madvise(pages.at(0), pages.bytes(), MADV_PAGEOUT);
  pages.write(8);
  EXPECT_EQ(tracked.take(), Indices{8});
}

// A program's static data are such.
TEST_F(WriteTrackingTest, OfPrivateMappingsOfFiles) {
  const Pages pages(6);
  const int file = memfd_create("data", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, static_cast<off_t>(pages.bytes())), 0);
  ASSERT_EQ(mmap(pages.at(0), pages.bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0),
            pages.at(0));
  close(file);
  const Tracked tracked{tracking_, pages};
  tracked.watch();
  for (std::size_t page = 0; page < 4; ++page) pages.read(page);
  tracked.arm();
  for (const std::size_t page : Indices{2, 5}) pages.write(page);
  EXPECT_EQ(tracked.take(), (Indices{2, 5}));
  pages.write(2);
  EXPECT_EQ(tracked.take(), Indices{2});
}

// The pages found cover the written pages, and nothing outside their huge pages.
void expect_of_huge_pages(const Indices& found, std::initializer_list<std::size_t> written) {
  const std::size_t in_huge = kHugeBytes / page_bytes();
  for (const std::size_t page : written) EXPECT_TRUE(std::ranges::binary_search(found, page)) << page;
  for (const std::size_t page : found) {
    EXPECT_TRUE(std::ranges::any_of(written, [&](std::size_t other) {
      return other / in_huge == page / in_huge;
    })) << page;
  }
}

TEST_F(WriteTrackingTest, OfHugePages) {
  const std::size_t in_huge = kHugeBytes / page_bytes();
  const Pages pages(4 * in_huge);
  madvise(pages.at(0), pages.bytes(), MADV_HUGEPAGE);
  const Tracked tracked{tracking_, pages};
  tracked.watch();
  for (std::size_t page = 0; page < 3 * in_huge; page += in_huge) pages.write(page);
  expect_of_huge_pages(tracked.take(), {0, in_huge, 2 * in_huge});
  EXPECT_EQ(tracked.take(), Indices{});
  pages.write(in_huge + 5);
  expect_of_huge_pages(tracked.take(), {in_huge + 5});
  EXPECT_EQ(tracked.take(), Indices{});
  // A part of one, and one that was split.
  pages.write(7);
  pages.write(in_huge + 6);
  Indices found;
  const auto add = [&](base::AddressRange run) { tracked.add(found, run); };
  EXPECT_TRUE(tracking_.for_each_dirty(pages.range(4, in_huge + 7), add));
  expect_of_huge_pages(found, {7, in_huge + 6});
  expect_of_huge_pages(tracked.take(), {7, in_huge + 6});
  // One that was given back, and one that was never touched.
  ASSERT_EQ(madvise(pages.at(2 * in_huge), kHugeBytes, MADV_DONTNEED), 0);
  pages.write(2 * in_huge + 1);
  pages.write(3 * in_huge + 1);
  expect_of_huge_pages(tracked.take(), {2 * in_huge + 1, 3 * in_huge + 1});
}

TEST_F(WriteTrackingTest, TakesPartsOfHugePages) {
  const std::size_t in_huge = kHugeBytes / page_bytes();
  const Pages pages(in_huge);
  madvise(pages.at(0), pages.bytes(), MADV_HUGEPAGE);
  const Tracked tracked{tracking_, pages};
  tracked.watch();
  pages.write_all();
  if (!tracking_.arms_while_running()) GTEST_SKIP() << "all pages are armed at once";
  Indices found;
  const auto add = [&](base::AddressRange run) { tracked.add(found, run); };
  EXPECT_TRUE(tracking_.claim_dirty(pages.range(10, 20), add));
  EXPECT_EQ(found, (Indices{10, 11, 12, 13, 14, 15, 16, 17, 18, 19}));
  EXPECT_EQ(tracked.take().size(), in_huge - 10);
  EXPECT_EQ(tracked.take(), Indices{});
}

TEST_F(WriteTrackingTest, KnowsWhatAWriteTakesWherePagesAreArmedWhileTheProgramRuns) {
  EXPECT_EQ(tracking_.write_time() > std::chrono::nanoseconds(0), tracking_.arms_while_running());
  EXPECT_LT(tracking_.write_time(), std::chrono::seconds(1));
  tracking_.after_fork_in_child();
  EXPECT_EQ(tracking_.write_time(), std::chrono::nanoseconds(0)) << "no pages are armed";
}

TEST_F(WriteTrackingTest, TakesSomeRunsAtATime) {
  constexpr std::size_t kMost = WriteTracking::kSomeRuns;
  const Pages pages(8 * kMost);
  const Tracked tracked = armed(pages);
  if (!tracking_.arms_while_running()) GTEST_SKIP() << "all pages are armed at once";
  Indices written;  // runs of two pages
  for (std::size_t page = 0; page < pages.count(); ++page) {
    if (page % 3 == 0) continue;
    pages.write(page);
    written.push_back(page);
  }
  Indices found;
  base::AddressRange left = pages.range();
  std::size_t times = 0;
  for (; !left.empty(); ++times) {
    const std::size_t before = found.size();
    const std::uintptr_t begin = left.begin;
    ASSERT_TRUE(tracking_.claim_some_dirty(left, [&](base::AddressRange run) { tracked.add(found, run); }));
    ASSERT_GT(left.begin, begin);
    EXPECT_LE(found.size(), before + 2 * kMost);
    // Found pages are protected, the others are still dirty.
    EXPECT_EQ(tracked.written(), Indices(written.begin() + static_cast<long>(found.size()), written.end()));
  }
  EXPECT_EQ(found, written);
  EXPECT_GE(times, 2U);
  EXPECT_EQ(tracked.take(), Indices{});
}

TEST_F(WriteTrackingTest, ReadsOfUntouchedHugePagesHideNoWrite) {
  const std::size_t in_huge = kHugeBytes / page_bytes();
  const Pages pages(2 * in_huge);
  madvise(pages.at(0), pages.bytes(), MADV_HUGEPAGE);
  const Tracked tracked{tracking_, pages};
  tracked.watch();
  EXPECT_EQ(pages.read(0), 0);
  tracked.arm();
  EXPECT_EQ(pages.read(in_huge), 0);
  pages.write(3);
  pages.write(in_huge + 3);
  const Indices found = tracked.take();
  EXPECT_TRUE(std::ranges::binary_search(found, std::size_t{3}));
  EXPECT_TRUE(std::ranges::binary_search(found, in_huge + 3));
}

// The system makes pages huge so of its own accord. The advice is newer than Debian's header.
TEST_F(WriteTrackingTest, OfPagesThatAreMadeHuge) {
  constexpr int kCollapse = 25;
  const Pages pages(kHugeBytes / page_bytes());
  const Tracked tracked = armed(pages);
  madvise(pages.at(0), pages.bytes(), MADV_HUGEPAGE);
  pages.write(3);
  madvise(pages.at(0), pages.bytes(), kCollapse);
  EXPECT_TRUE(std::ranges::binary_search(tracked.take(), std::size_t{3}));
  madvise(pages.at(0), pages.bytes(), kCollapse);
  pages.write(5);
  EXPECT_TRUE(std::ranges::binary_search(tracked.take(), std::size_t{5}));
}

// ---- Writers --------------------------------------------------------------------------------------

TEST_F(WriteTrackingTest, SeesWhatSystemCallsWrite) {
  const Pages pages(20);
  const Tracked tracked = armed(pages);
  std::array<int, 2> pipe_ends{};
  std::array<int, 2> sockets{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  const std::vector<char> sent(2 * page_bytes(), 'x');
  ASSERT_EQ(write(pipe_ends[1], sent.data(), 2 * page_bytes()), 2 * static_cast<ssize_t>(page_bytes()));
  ASSERT_EQ(read(pipe_ends[0], pages.at(2), page_bytes()), static_cast<ssize_t>(page_bytes()));
  iovec vector{pages.at(4) + 8, 16};
  ASSERT_EQ(readv(pipe_ends[0], &vector, 1), 16);
  ASSERT_EQ(send(sockets[1], sent.data(), 100, 0), 100);
  ASSERT_EQ(recv(sockets[0], pages.at(6), 100, 0), 100);
  const int file = memfd_create("data", MFD_CLOEXEC);
  ASSERT_EQ(write(file, sent.data(), 100), 100);
  ASSERT_EQ(pread(file, pages.at(9) - 50, 100, 0), 100);
  for (const int number : {pipe_ends[0], pipe_ends[1], sockets[0], sockets[1], file}) close(number);
  EXPECT_EQ(pages.read(2), 'x');
  EXPECT_EQ(*(pages.at(9) + 49), 'x');
  EXPECT_EQ(tracked.take(), (Indices{2, 4, 6, 8, 9}));
}

TEST_F(WriteTrackingTest, SeesWhatOtherProcessesWrite) {
  const Pages pages(20);
  const Tracked tracked = armed(pages);
  const pid_t parent = getpid();
  const int status = status_in_child([&] {
    std::array<char, 8> bytes{'y'};
    const iovec from{bytes.data(), bytes.size()};
    const iovec to{pages.at(11), bytes.size()};
    return process_vm_writev(parent, &from, 1, &to, 1, 0) == 8 ? 0 : 1;
  });
  if (status != 0) GTEST_SKIP() << "one process cannot write to another's memory";
  EXPECT_EQ(pages.read(11), 'y');
  EXPECT_EQ(tracked.take(), Indices{11});
}

TEST_F(WriteTrackingTest, LeavesOutWhatAChildWrites) {
  const Pages pages(20);
  const Tracked tracked = armed(pages);
  pages.write(2);
  EXPECT_EQ(status_in_child([&] {
              pages.write_all();
              return 0;
            }),
            0);
  EXPECT_EQ(tracked.written(), Indices{2});
  pages.write(3);
  EXPECT_EQ(tracked.take(), (Indices{2, 3}));
}

TEST_F(WriteTrackingTest, StartsAnewInAChild) {
  const Pages pages(20);
  const Tracked tracked = armed(pages);
  pages.write(2);
  EXPECT_EQ(status_in_child([&] {
              tracking_.after_fork_in_child();
              if (tracking_.method() != WriteTrackingMethod::none) return 10;
              return status_of_method(tracking_);
            }),
            0);
  EXPECT_EQ(tracked.written(), Indices{2});
  EXPECT_EQ(tracked.take(), Indices{2});
}

TEST_F(WriteTrackingTest, RefusesInAChildThatDidNotStartAnew) {
  const Pages pages(20);
  const Tracked tracked = armed(pages);
  const base::AddressRange range = pages.range();
  pages.write(2);
  EXPECT_EQ(status_in_child([&] {
              if (tracking_.watch(range) && tracking_.arms_while_running()) return 1;
              if (tracking_.arm({&range, 1})) return 2;
              if (tracking_.for_each_dirty(range, [](base::AddressRange) {})) return 3;
              if (tracking_.claim_dirty(range, [](base::AddressRange) {})) return 4;
              return status_of_method(tracking_);
            }),
            0);
  EXPECT_EQ(tracked.written(), Indices{2});
}

// Threads that write numbers into random pages, each into words of its own.
class Writers {
 public:
  static constexpr std::size_t kThreads = 3;
  using Copy = std::array<std::uint64_t, kThreads>;

  explicit Writers(const Pages& pages) : pages_(pages) {
    for (std::size_t thread = 0; thread < kThreads; ++thread)
      threads_.emplace_back([this, thread] { write(thread); });
  }
  [[nodiscard]] bool are_running() const { return running_.load() != 0; }
  void join() {
    for (std::thread& thread : threads_) thread.join();
  }
  // Calls `function()` while none writes.
  template <typename Function>
  void stop_while(Function function) {
    pthread_rwlock_wrlock(&gate_);
    function();
    pthread_rwlock_unlock(&gate_);
  }
  // Relaxed: what orders it behind the writes is the system.
  [[nodiscard]] Copy copy_of(std::size_t page) const {
    Copy copy{};
    for (std::size_t thread = 0; thread < kThreads; ++thread)
      copy[thread] = word(page, thread).load(std::memory_order_relaxed);
    return copy;
  }

 private:
  [[nodiscard]] std::atomic_ref<std::uint64_t> word(std::size_t page, std::size_t thread) const {
    return std::atomic_ref(reinterpret_cast<std::uint64_t*>(pages_.at(page))[thread * 101]);
  }
  void write(std::size_t thread) {
    std::minstd_rand random(static_cast<unsigned>(thread + 1));
    for (std::uint64_t number = 1; number <= mark::scaled(200000);) {
      pthread_rwlock_rdlock(&gate_);
      for (const std::uint64_t end = number + 500; number < end; ++number)
        word(random() % pages_.count(), thread).store(number, std::memory_order_relaxed);
      pthread_rwlock_unlock(&gate_);
    }
    running_.fetch_sub(1);
  }

  const Pages& pages_;
  // Readers of this lock, which write pages, do not keep out its writer, which stops them.
  pthread_rwlock_t gate_ = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  std::atomic<std::size_t> running_{kThreads};
  std::vector<std::thread> threads_;
};

// Pages are copied when they are found dirty: in the end copies and pages are equal, or a write was lost.
void expect_no_write_is_lost(WriteTracking& tracking, const Pages& pages) {
  std::vector<Writers::Copy> copies(pages.count());
  Writers writers(pages);
  const auto copy = [&](base::AddressRange run) {
    for (std::size_t page = pages.index(run.begin); page < pages.index(run.end); ++page)
      copies[page] = writers.copy_of(page);
  };
  const base::AddressRange range = pages.range();
  const auto take_stopped = [&] {
    EXPECT_TRUE(tracking.for_each_dirty(range, copy));
    EXPECT_TRUE(tracking.arm({&range, 1}));
  };
  const auto take = [&] {
    if (tracking.arms_while_running()) {
      EXPECT_TRUE(tracking.claim_dirty(range, copy));
    } else {
      writers.stop_while(take_stopped);
    }
  };
  while (writers.are_running()) take();
  writers.join();
  take();
  for (std::size_t page = 0; page < pages.count(); ++page)
    EXPECT_EQ(copies[page], writers.copy_of(page)) << page;
}

TEST_F(WriteTrackingTest, LosesNoWriteOfThreads) {
  for (const int advice : {MADV_NOHUGEPAGE, MADV_HUGEPAGE}) {
    const Pages pages(4 * kHugeBytes / page_bytes());
    madvise(pages.at(0), pages.bytes(), advice);
    ASSERT_TRUE(tracking_.watch(pages.range()));
    expect_no_write_is_lost(tracking_, pages);
  }
}

// All pages are protected at once, while no thread writes; they are queried while threads write and when
// these are stopped.
TEST_F(WriteTrackingTest, TellsOfAllWritesOfThreadsSinceItArmed) {
  const Pages pages(1000);
  const Tracked tracked = armed(pages);
  std::atomic<std::size_t> running{2};
  std::array<std::vector<bool>, 2> written;
  for (std::vector<bool>& of_thread : written) of_thread.resize(pages.count());
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < written.size(); ++thread) {
    threads.emplace_back([&, thread] {
      std::minstd_rand random(static_cast<unsigned>(thread + 1));
      for (std::size_t writes = 0; writes < 500; ++writes) {
        const std::size_t page = random() % pages.count();
        std::atomic_ref(*pages.at(page)).fetch_add(1, std::memory_order_relaxed);
        written[thread][page] = true;
      }
      running.fetch_sub(1);
    });
  }
  while (running.load() != 0) EXPECT_TRUE(tracking_.for_each_dirty(pages.range(), [](base::AddressRange) {}));
  for (std::thread& thread : threads) thread.join();
  Indices expected;
  for (std::size_t page = 0; page < pages.count(); ++page) {
    if (written[0][page] || written[1][page]) expected.push_back(page);
  }
  EXPECT_EQ(tracked.take(), expected);
}

// ---- where the system refuses ------------------------------------------------------------------------

TEST_F(WriteTrackingTest, RefusesMemoryThatIsNotWatched) {
  if (!tracking_.arms_while_running()) GTEST_SKIP() << "all memory is watched";
  const Pages pages(9);
  EXPECT_TRUE(tracking_.watch(pages.range(0, 4)));
  pages.write_all();
  EXPECT_FALSE(tracking_.for_each_dirty(pages.range(), [](base::AddressRange) {}));
  EXPECT_FALSE(tracking_.claim_dirty(pages.range(), [](base::AddressRange) {}));
  const base::AddressRange all = pages.range();
  EXPECT_FALSE(tracking_.arm({&all, 1}));
}

TEST_F(WriteTrackingTest, RefusesMemoryThatAnotherWatches) {
  if (!tracking_.arms_while_running()) GTEST_SKIP() << "all memory is watched";
  const Pages pages(9);
  {
    WriteTracking other;
    ASSERT_EQ(other.start(), tracking_.method());
    EXPECT_TRUE(other.watch(pages.range()));
    EXPECT_FALSE(tracking_.watch(pages.range()));
  }
  const Tracked tracked = armed(pages);
  pages.write(4);
  EXPECT_EQ(tracked.written(), Indices{4});
}

constexpr int kDenialFailed = 77;

// Whatever is denied, there is a method that works, or none.
TEST(WriteTrackingMethods, AreTriedWhereSystemCallsAreDenied) {
  for (const long call : {SYS_userfaultfd, SYS_ioctl, SYS_openat, SYS_pread64, SYS_fstat, SYS_newfstatat,
                          SYS_fcntl, SYS_write}) {
    for (const int error : {EPERM, ENOSYS}) {
      const int status = status_in_child([&] {
        WriteTracking tracking;
        if (!deny(call, error)) return kDenialFailed;
        const int works = status_of_method(tracking);
        if (call == SYS_userfaultfd && tracking.method() == WriteTrackingMethod::pagemap_scan) return 10;
        if (call == SYS_openat && works == 0) return 11;
        return works == 1 ? 0 : works;
      });
      if (status == kDenialFailed) GTEST_SKIP() << "system calls cannot be denied";
      EXPECT_EQ(status, 0) << call << ' ' << error;
    }
  }
}

// In a child, of a collector that is to mark while the program runs: 0 when it keeps what it is to keep.
int status_of_collector(const std::vector<long>& denied) {
  setenv("JACKDAW_CONCURRENT", "1", 1);
  setenv("JACKDAW_PAUSE_MS", "0", 1);
  setenv("JACKDAW_MINIMUM_BUDGET", "256k", 1);
  for (const long call : denied) {
    if (!deny(call, EPERM)) return kDenialFailed;
  }
  Link* volatile list = new_list(kLength);
  const std::vector<HiddenAddress> hidden = hidden_links(list);
  while (collector().collections() < 5) new_list(kLength);
  collector().collect();
  if (still_there(hidden) != kLength) return 10;
  std::uint64_t length = 0;
  for (const Link* link = list; link != nullptr; link = link->next) {
    if (link->value != length++) return 11;
  }
  return length == kLength ? 0 : 12;
}

TEST(WriteTrackingMethods, AreNotNeededToCollect) {
  const std::vector<std::vector<long>> all{{SYS_userfaultfd}, {SYS_userfaultfd, SYS_pread64}, {SYS_ioctl}};
  for (const std::vector<long>& denied : all) {
    const int status = status_in_child([&] { return status_of_collector(denied); });
    if (status == kDenialFailed) GTEST_SKIP() << "system calls cannot be denied";
    EXPECT_EQ(status, 0) << denied.front();
  }
}

TEST_F(WriteTrackingTest, RefusesOnceSystemCallsAreDenied) {
  const Pages pages(4);
  armed(pages);
  const base::AddressRange range = pages.range();
  const int status = status_in_child([&] {
    tracking_.after_fork_in_child();
    if (const int works = status_of_method(tracking_); works != 0) return works;
    if (!tracking_.watch(range) || !deny(SYS_ioctl, EPERM) || !deny(SYS_pread64, EPERM) ||
        !deny(SYS_write, EPERM))
      return kDenialFailed;
    return tracking_.for_each_dirty(range, [](base::AddressRange) {}) || tracking_.arm({&range, 1}) ? 10 : 0;
  });
  if (status == kDenialFailed) GTEST_SKIP() << "system calls cannot be denied";
  EXPECT_EQ(status, 0);
}

TEST_F(WriteTrackingTest, NeedsNoFilesOnceItIsStarted) {
  EXPECT_EQ(status_in_child([&] {
              const rlimit none{0, 0};
              if (setrlimit(RLIMIT_NOFILE, &none) != 0) return 10;
              tracking_.after_fork_in_child();
              return tracking_.start() == WriteTrackingMethod::none ? 0 : 11;
            }),
            0);
  EXPECT_EQ(status_in_child([&] {
              tracking_.after_fork_in_child();
              if (tracking_.start() == WriteTrackingMethod::none) return 10;
              const rlimit none{0, 0};
              if (setrlimit(RLIMIT_NOFILE, &none) != 0) return 11;
              return status_of_method(tracking_);
            }),
            0);
}

TEST_F(WriteTrackingTest, WorksWhereFewFilesMayBeOpen) {
  EXPECT_EQ(status_in_child([&] {
              tracking_.after_fork_in_child();
              const rlimit few{64, 64};
              if (setrlimit(RLIMIT_NOFILE, &few) != 0) return 10;
              return status_of_method(tracking_);
            }),
            0);
}

// The numbers of its files.
std::vector<int> numbers_of_tracking() {
  std::vector<int> numbers;
  for (int number = 3; number < 1024; ++number) {
    std::array<char, 256> target{};
    const std::string link = "/proc/self/fd/" + std::to_string(number);
    if (readlink(link.c_str(), target.data(), target.size() - 1) < 0) continue;
    for (const char* const part : {"pagemap", "userfaultfd", "clear_refs"}) {
      if (std::strstr(target.data(), part) != nullptr) numbers.push_back(number);
    }
  }
  return numbers;
}

// In a child: `lose(numbers)` has closed the files. 0 when tracking refuses then, and works once it is
// started again.
template <typename Lose>
int status_after_loss(WriteTracking& tracking, Lose lose) {
  tracking.after_fork_in_child();
  if (const int works = status_of_method(tracking); works != 0) return works;
  const Pages pages(4);
  const base::AddressRange range = pages.range();
  if (!tracking.watch(range)) return 10;
  const std::vector<int> numbers = numbers_of_tracking();
  if (numbers.size() != 2) return 11;
  lose(numbers);
  pages.write_all();
  if (tracking.for_each_dirty(range, [](base::AddressRange) {})) return 12;
  if (tracking.arm({&range, 1})) return 13;
  return status_of_method(tracking);
}

TEST_F(WriteTrackingTest, RefusesOnceItsFilesAreClosed) {
  const auto close_all = [](const std::vector<int>& numbers) {
    for (const int number : numbers) close(number);
  };
  EXPECT_EQ(status_in_child([&] { return status_after_loss(tracking_, close_all); }), 0);
}

// A program may close all descriptors and open others: /dev/null, and worse, another process's files.
TEST_F(WriteTrackingTest, RefusesOnceItsNumbersStandForOtherFiles) {
  const std::string parent = "/proc/" + std::to_string(getpid());
  for (const std::string& path : {std::string("/dev/null"), parent + "/pagemap"}) {
    const auto replace = [&](const std::vector<int>& numbers) {
      const int other = open(path.c_str(), O_RDONLY);
      for (const int number : numbers) dup2(other, number);
    };
    EXPECT_EQ(status_in_child([&] { return status_after_loss(tracking_, replace); }), 0) << path;
  }
}

TEST_F(WriteTrackingTest, LeavesFilesToOthersThatHaveItsNumbers) {
  EXPECT_EQ(status_in_child([&] {
              tracking_.after_fork_in_child();
              if (tracking_.start() == WriteTrackingMethod::none) return 1;
              const std::vector<int> numbers = numbers_of_tracking();
              for (const int number : numbers) dup2(STDERR_FILENO, number);
              tracking_.after_fork_in_child();
              for (const int number : numbers) {
                if (fcntl(number, F_GETFD) < 0) return 2;
              }
              return 0;
            }),
            0);
}

TEST_F(WriteTrackingTest, ClosesItsFilesInProgramsThatItRuns) {
  for (const int number : numbers_of_tracking()) EXPECT_EQ(fcntl(number, F_GETFD), FD_CLOEXEC);
}

}  // namespace
}  // namespace jackdaw::gc
