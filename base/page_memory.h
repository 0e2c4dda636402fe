// PageMemory: memory straight from the operating system, in whole pages.
//
// The engine and the collector allocate here what they need while the program's threads are stopped: a
// stopped thread may hold malloc's lock. For the same reason nothing throws, since that calls malloc, too.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "base/address_range.h"

namespace jackdaw::base {

/// The system's page, a power of two: 4 KiB, or up to 64 KiB on other processors than x86.
inline std::size_t page_bytes() noexcept { return static_cast<std::size_t>(getpagesize()); }

/// Returns the whole pages that a range touches. Any thread.
inline AddressRange pages_of(AddressRange range) noexcept {
  const std::uintptr_t in_page = page_bytes() - 1;
  return range.empty() ? range : AddressRange{range.begin & ~in_page, (range.end + in_page) & ~in_page};
}

/// Any thread.
struct PageMemory {
  /// Returns `bytes` zeroed bytes, or none when there is no memory. Pages that are not touched take no
  /// memory.
  static std::span<std::byte> allocate(std::size_t bytes) noexcept {
    return map(bytes, PROT_READ | PROT_WRITE);
  }
  /// Returns memory as allocate() does, for more than will soon be used: it gets no huge pages and is not
  /// locked.
  static std::span<std::byte> reserve(std::size_t bytes) noexcept {
    // The memory is not readable at first: in a program that locks all it maps, it would be populated at
    // once.
    const std::span<std::byte> memory = map(bytes, PROT_NONE);
    if (memory.empty()) return {};
    munlock(memory.data(), bytes);
    madvise(memory.data(), bytes, MADV_NOHUGEPAGE);
    if (mprotect(memory.data(), bytes, PROT_READ | PROT_WRITE) == 0) return memory;
    release(memory);
    return {};
  }
  /// Whether a process with a limit on addresses can spare `bytes` bytes of them for each of hundreds of
  /// threads. No process can where the system counts reserved addresses as memory in use, as the file
  /// `overcommit` says.
  static bool can_spare(std::size_t bytes,
                        const char* overcommit = "/proc/sys/vm/overcommit_memory") noexcept {
    constexpr char kAllIsCounted = '2';
    if (first_character_of(overcommit) == kAllIsCounted) return false;
    constexpr rlim_t kPart = 4096;
    for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
      rlimit limit{};
      if (getrlimit(resource, &limit) == 0 && bytes > limit.rlim_cur / kPart) return false;
    }
    return true;
  }
  /// Returns the memory of the whole pages among `bytes` bytes from `begin` on to the system: they read as
  /// zero and take no memory until they are written. False when the system refuses.
  static bool discard(void* begin, std::size_t bytes) noexcept { return advise(begin, bytes, MADV_DONTNEED); }
  /// Advises the system about the whole pages among `bytes` bytes from `begin` on: a part of a page would be
  /// refused, or taken for all of it. False when the system refuses.
  static bool advise(void* begin, std::size_t bytes, int advice) noexcept {
    const std::uintptr_t page = page_bytes();
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t from = (first + page - 1) / page * page;
    const std::uintptr_t to = (first + bytes) / page * page;
    return from >= to || madvise(reinterpret_cast<void*>(from), to - from, advice) == 0;
  }
  /// Unmaps what allocate() or reserve() returned.
  static void release(std::span<std::byte> memory) noexcept {
    if (!memory.empty()) munmap(memory.data(), memory.size());
  }

 private:
  static std::span<std::byte> map(std::size_t bytes, int protection) noexcept {
    if (bytes == 0) return {};
    void* const memory = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return {};
    return {static_cast<std::byte*>(memory), bytes};
  }
  // Returns zero when the file has none.
  static char first_character_of(const char* path) noexcept {
    char character = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    if (read(file, &character, 1) != 1) character = 0;
    close(file);
    return character;
  }
};

}  // namespace jackdaw::base
