#include "gc/process/concurrent/write_tracking.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>

#include "base/page_memory.h"

namespace jackdaw::gc {

namespace {

// <linux/fs.h> and <linux/userfaultfd.h> declare these since Linux 6.7.
struct PageRegion {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t categories;
};
struct ScanRequest {
  std::uint64_t size;
  std::uint64_t flags;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t walked_to;  // set by the kernel
  std::uint64_t regions;
  std::uint64_t most_regions;
  std::uint64_t most_pages;
  std::uint64_t inverted_categories;
  std::uint64_t all_categories;
  std::uint64_t any_category;
  std::uint64_t told_categories;
};
constexpr unsigned long kPagemapScan = _IOWR('f', 16, ScanRequest);
constexpr std::uint64_t kArmMatching = 1U << 0;
constexpr std::uint64_t kRefuseUnwatched = 1U << 1;
constexpr std::uint64_t kWritten = 1U << 1;
constexpr std::uint64_t kPresent = 1U << 3;
constexpr std::uint64_t kSwapped = 1U << 4;
constexpr std::uint64_t kArmUnpopulated = 1U << 13;  // without it, memory cannot be tracked
constexpr std::uint64_t kResolveFaults = 1U << 15;

// These are bits of an entry in /proc/PID/pagemap.
constexpr std::uint64_t kEntrySoftDirty = std::uint64_t{1} << 55;
constexpr std::uint64_t kEntryPopulated = std::uint64_t{3} << 62;  // present, or swapped

using base::page_bytes;
using base::pages_of;

class KeepErrno {
 public:
  KeepErrno() = default;
  ~KeepErrno() { errno = error_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  const int error_ = errno;
};

// Passes on runs of pages, with adjoining ones joined.
class Runs {
 public:
  Runs(void (*visit)(void*, base::AddressRange), void* function) : visit_(visit), function_(function) {}

  void add(base::AddressRange run) {
    if (run.begin == run_.end) {
      run_.end = run.end;
    } else {
      finish();
      run_ = run;
    }
  }
  void finish() {
    if (!run_.empty()) visit_(function_, run_);
  }

 private:
  void (*const visit_)(void*, base::AddressRange);
  void* const function_;
  base::AddressRange run_;
};

// A scan returns the dirty pages that hold something, or all dirty pages.
enum class Told : std::uint8_t { held, all };

// Adds up to most_runs runs of dirty pages and returns where the scan ended, or 0 when the kernel refuses:
// then pages may be armed that were not reported. Empty pages are not armed, as that takes page tables. Above
// 512 runs the kernel would not report the exact end; a limit in pages would split huge ones.
constexpr std::size_t kMostRuns = 256;
std::uintptr_t scan_some(int pagemap, base::AddressRange range, Told told, bool arms, std::size_t most_runs,
                         Runs& runs) {
  std::array<PageRegion, kMostRuns> regions;
  ScanRequest request{};
  request.size = sizeof request;
  request.flags = kRefuseUnwatched | (arms ? kArmMatching : 0);
  request.begin = range.begin;
  request.end = range.end;
  request.regions = reinterpret_cast<std::uintptr_t>(regions.data());
  request.most_regions = most_runs;
  request.all_categories = kWritten;
  if (told == Told::held) request.any_category = kPresent | kSwapped;
  request.told_categories = kWritten;
  const int count = ioctl(pagemap, kPagemapScan, &request);
  if (count < 0 || request.walked_to <= range.begin) return 0;
  for (const PageRegion& region : std::span(regions).first(static_cast<std::size_t>(count)))
    runs.add({region.begin, region.end});
  return request.walked_to;
}

// Whether a scan may report empty pages, too, which lets the kernel test only one bit of each page. Before
// Linux 6.9 such a scan leaves out pages that are swapped out or being moved.
bool tells_of_all_pages() {
  utsname system{};
  unsigned version = 0;
  unsigned revision = 0;
  // NOLINTNEXTLINE(cert-err34-c): what does not fit is no version of Linux.
  if (uname(&system) != 0 || std::sscanf(system.release, "%u.%u", &version, &revision) != 2) return false;
  return version > 6 || (version == 6 && revision >= 9);
}

// Adds runs of dirty pages, by soft-dirty bits.
std::uintptr_t read_some(int pagemap, base::AddressRange range, Runs& runs) {
  std::array<std::uint64_t, 512> entries;
  constexpr std::size_t kEntryBytes = sizeof entries[0];
  const std::uintptr_t bytes = page_bytes();
  const std::size_t wanted = std::min(entries.size(), (range.end - range.begin) / bytes);
  const ssize_t got = pread(pagemap, entries.data(), wanted * kEntryBytes,
                            static_cast<off_t>(range.begin / bytes * kEntryBytes));
  if (got <= 0) return 0;
  std::uintptr_t page = range.begin;
  for (const std::uint64_t entry : std::span(entries).first(static_cast<std::size_t>(got) / kEntryBytes)) {
    if ((entry & kEntrySoftDirty) != 0 && (entry & kEntryPopulated) != 0) runs.add({page, page + bytes});
    page += bytes;
  }
  return page;
}

int open_userfaultfd() {
  const auto descriptor = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
  if (descriptor < 0) return -1;
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = kArmUnpopulated | kResolveFaults;
  if (ioctl(descriptor, UFFDIO_API, &api) == 0) return descriptor;
  close(descriptor);
  return -1;
}

}  // namespace

WriteTrackingMethod WriteTracking::start(WriteTrackingMethod last) {
  const KeepErrno keep;
  if (pagemap_.is_intact() && control_.is_intact()) return method_;
  for (const auto method : {WriteTrackingMethod::pagemap_scan, WriteTrackingMethod::soft_dirty}) {
    if (method <= last && open(method) && works()) return method_;
  }
  stop();
  return method_;
}

// pagemap stays valid for the process whatever becomes of the opening thread. clear_refs finds the process
// through its first thread, which exists as long as the process.
bool WriteTracking::open(WriteTrackingMethod method) {
  method_ = method;
  write_time_ = {};
  may_report_empty_pages_ = method == WriteTrackingMethod::pagemap_scan && tells_of_all_pages();
  const bool has_pagemap = pagemap_.keep(::open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC));
  return has_pagemap && control_.keep(method == WriteTrackingMethod::pagemap_scan
                                          ? open_userfaultfd()
                                          : ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
}

// A page is tried, as many things may prevent tracking: a filter of system calls, or another system's
// emulation. The first query is cheap, and reveals a system without soft-dirty bits.
bool WriteTracking::works() {
  void* const memory =
      mmap(nullptr, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const base::AddressRange page{begin, begin + page_bytes()};
  const auto write = [memory] { *static_cast<volatile char*>(memory) = 1; };
  const auto is_written = [&](bool expected) {
    bool found = false;
    return for_each_dirty(page, [&](base::AddressRange) { found = true; }) && found == expected;
  };
  bool works = watch(page);
  if (works) write();
  works = works && is_written(true) && arm({&page, 1}) && is_written(false);
  if (works) write();
  works = works && is_written(true);
  if (works && arms_while_running()) measure_write(page);
  munmap(memory, page_bytes());
  return works;
}

// The shortest of several times counts, as others may have been interrupted.
void WriteTracking::measure_write(base::AddressRange page) {
  using Clock = std::chrono::steady_clock;
  constexpr int kWrites = 8;
  for (int i = 0; i < kWrites && arm({&page, 1}); ++i) {
    const Clock::time_point start = Clock::now();
    *reinterpret_cast<volatile char*>(page.begin) = 1;  // NOLINT(performance-no-int-to-ptr)
    const std::chrono::nanoseconds time = Clock::now() - start;
    write_time_ = i == 0 ? time : std::min(write_time_, time);
  }
}

bool WriteTracking::watch(base::AddressRange range) {
  if (method_ == WriteTrackingMethod::soft_dirty || range.empty())
    return method_ != WriteTrackingMethod::none;
  const KeepErrno keep;
  if (!control_.is_intact()) return false;
  const base::AddressRange pages = pages_of(range);
  uffdio_register request{};
  request.range = {pages.begin, pages.end - pages.begin};
  request.mode = UFFDIO_REGISTER_MODE_WP;
  return ioctl(control_.number(), UFFDIO_REGISTER, &request) == 0;
}

bool WriteTracking::arm(std::span<const base::AddressRange> ranges) {
  const KeepErrno keep;
  if (arms_while_running()) {
    return std::all_of(ranges.begin(), ranges.end(), [this](base::AddressRange range) {
      return claim_dirty(range, [](base::AddressRange) {});
    });
  }
  return control_.is_intact() && write(control_.number(), "4", 1) == 1;
}

bool WriteTracking::disarm(base::AddressRange range) {
  const KeepErrno keep;
  if (!arms_while_running() || !control_.is_intact()) return false;
  const base::AddressRange pages = pages_of(range);
  uffdio_writeprotect request{};
  request.range = {pages.begin, pages.end - pages.begin};
  return ioctl(control_.number(), UFFDIO_WRITEPROTECT, &request) == 0;
}

bool WriteTracking::visit_dirty(base::AddressRange range, Wanted wanted, Visit visit, void* function) const {
  const KeepErrno keep;
  const bool arms = wanted == Wanted::to_arm;
  if (!pagemap_.is_intact() || (arms && !arms_while_running())) return false;
  const Told told = wanted == Wanted::perhaps && may_report_empty_pages_ ? Told::all : Told::held;
  Runs runs(visit, function);
  range = pages_of(range);
  while (!range.empty()) {
    const std::uintptr_t reached = arms_while_running()
                                       ? scan_some(pagemap_.number(), range, told, arms, kMostRuns, runs)
                                       : read_some(pagemap_.number(), range, runs);
    if (reached == 0) return false;
    range.begin = reached;
  }
  runs.finish();
  return true;
}

bool WriteTracking::visit_some_dirty(base::AddressRange& range, Visit visit, void* function) {
  const KeepErrno keep;
  if (!pagemap_.is_intact() || !arms_while_running()) return false;
  Runs runs(visit, function);
  const std::uintptr_t reached =
      scan_some(pagemap_.number(), pages_of(range), Told::held, true, kSomeRuns, runs);
  if (reached == 0) return false;
  range.begin = reached;
  runs.finish();
  return true;
}

void WriteTracking::stop() {
  method_ = WriteTrackingMethod::none;
  write_time_ = {};
  pagemap_.close();
  control_.close();
}

}  // namespace jackdaw::gc
