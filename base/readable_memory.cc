#include "base/readable_memory.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/guarded_loads.h"
#include "base/page_memory.h"

namespace jackdaw::base {

namespace {

std::uintptr_t page_of(std::uintptr_t address) { return address & ~(std::uintptr_t{page_bytes()} - 1); }

// The last page of the address space has no successor: the result is then the highest address.
std::uintptr_t page_after(std::uintptr_t address) {
  const std::uintptr_t next = page_of(address) + page_bytes();
  return next != 0 ? next : std::numeric_limits<std::uintptr_t>::max();
}

#ifdef MADV_POPULATE_READ
// Has the system map pages for reading. False when some cannot be read, when the system does not offer this
// (before Linux 5.14), and for special mappings.
bool can_populate(std::uintptr_t begin, std::uintptr_t bytes) {
  const int error = errno;
  void* const pages = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
  const bool is_done = madvise(pages, bytes, MADV_POPULATE_READ) == 0;
  errno = error;
  return is_done;
}
#endif

// True only if all of `range` can be read, by one system call that maps what is to be read next anyway. An
// emulator may answer yes to anything, which page zero shows: then its answer does not count.
bool is_all_readable([[maybe_unused]] AddressRange range) {
#ifdef MADV_POPULATE_READ
  static const bool kAgreesAlways = can_populate(0, page_after(0));
  if (range.empty()) return true;
  const std::uintptr_t begin = page_of(range.begin);
  return !kAgreesAlways && can_populate(begin, page_after(range.end - 1) - begin);
#else
  return false;
#endif
}

// Whether `range` has so few pages that a call for each (0.2 us) takes less time than one for all (0.7 us).
bool is_short(AddressRange range) {
  constexpr std::uintptr_t kFewPages = 4;
  return range.end - page_of(range.begin) <= kFewPages * page_bytes();
}

// `range` up to the first page that cannot be read, asking from `first` on.
AddressRange readable_from(AddressRange range, std::uintptr_t first) {
  std::uintptr_t end = first;
  while (end < range.end && is_readable(end)) end = page_after(end);
  return {range.begin, std::min(end, range.end)};
}

// Whether something is mapped everywhere in `range`, which begins and ends with a page. MS_ASYNC changes
// nothing, and fails with ENOMEM where a page is not mapped.
bool is_mapped(AddressRange range) {
  const int error = errno;
  void* const pages = reinterpret_cast<void*>(range.begin);  // NOLINT(performance-no-int-to-ptr)
  bool is_all = msync(pages, range.end - range.begin, MS_ASYNC) == 0;
  if (!is_all && errno != ENOMEM) is_all = readable_prefix(range).contains(range);  // msync was refused
  errno = error;
  return is_all;
}

}  // namespace

// The system reads the signal set at the address before it rejects the unknown operation (EINVAL), and says
// when it cannot read it (EFAULT).
bool is_readable(std::uintptr_t address) {
  if (GuardedLoads::are_on()) return GuardedLoads::can_read(address);
  constexpr int kNothingKnown = -1;
  constexpr std::size_t kSetBytes = 8;
  if (page_of(address) == 0) return false;  // the system takes a null set for none
  const int error = errno;
  const long result = syscall(SYS_rt_sigprocmask, kNothingKnown, page_of(address), nullptr, kSetBytes);
  const bool readable = result == 0 || errno != EFAULT;
  errno = error;
  return readable;
}

AddressRange first_readable(AddressRange range) {
  if (!GuardedLoads::are_on() && !is_short(range) && is_all_readable(range)) return range;
  while (!range.empty()) {
    if (is_readable(range.begin)) return readable_from(range, page_after(range.begin));
    range.begin = page_after(range.begin);
  }
  return {};
}

AddressRange readable_prefix(AddressRange range) { return readable_from(range, range.begin); }

AddressRange with_mapped_below(AddressRange range) {
  constexpr std::uintptr_t kLargestStep = std::uintptr_t{1} << 31;
  std::uintptr_t begin = page_of(range.begin);
  if (range.empty() || begin == 0 || !is_readable(begin - 1)) return range;
  for (auto step = kLargestStep; step >= static_cast<std::uintptr_t>(getpagesize()); step /= 2) {
    if (step < begin && is_mapped({begin - step, begin})) begin -= step;
  }
  return {begin, range.end};
}

}  // namespace jackdaw::base
