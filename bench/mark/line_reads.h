// LineReads: the time to read cache lines in random order or in a stream, by one thread or several, on small
// pages or huge ones. Marking cannot be faster than this.
//
// Random reads are independent of one another, so that the processor overlaps as many as it can. A chain of
// dependent reads would measure latency, which a marker that prefetches does not wait for.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "mark/thread_pool.h"

namespace jackdaw::bench {

inline constexpr std::size_t kLineBytes = 64;

enum class ReadOrder : std::uint8_t {
  random,  ///< each line drawn from all with equal probability
  stream,  ///< one after another; each thread has its own range
};
inline constexpr std::array<std::pair<std::string_view, ReadOrder>, 2> kReadOrders = {
    {{"random", ReadOrder::random}, {"stream", ReadOrder::stream}}};

enum class PageKind : std::uint8_t {
  small,  ///< the system's smallest: 4 KiB on x86-64
  huge,   ///< huge ones where the system grants them: 2 MiB on x86-64
};
inline constexpr std::array<std::pair<std::string_view, PageKind>, 2> kPageKinds = {
    {{"small", PageKind::small}, {"huge", PageKind::huge}}};

/// Memory to read or write: whole cache lines, every page of it present.
class LineMemory {
 public:
  /// Allocates at least `bytes`, and at least one line. Throws InputError when there is not as much memory.
  LineMemory(std::uint64_t bytes, PageKind pages);
  ~LineMemory();
  LineMemory(const LineMemory&) = delete;
  LineMemory& operator=(const LineMemory&) = delete;

  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] std::uint64_t bytes() const { return lines_ * kLineBytes; }
  /// Returns how many of the bytes lie on huge pages, by the kernel's present answer; 0 if it gives none.
  [[nodiscard]] std::uint64_t bytes_on_huge_pages() const;

  /// Returns all words, for other uses of memory on such pages.
  [[nodiscard]] std::span<std::uint64_t> words() { return {words_, bytes() / sizeof(std::uint64_t)}; }
  /// Returns the first word of a line.
  [[nodiscard]] const std::uint64_t& word_of(std::uint64_t line) const {
    return words_[line * (kLineBytes / sizeof(std::uint64_t))];
  }

 private:
  std::uint64_t lines_;
  std::uint64_t mapped_bytes_;
  void* mapping_;
  std::uint64_t* words_;
};

/// Reads `reads` lines with all threads of the pool, and returns the time from the first thread's start to
/// the last one's end. `seed` chooses the random lines.
std::chrono::nanoseconds read_lines(const LineMemory& memory, ReadOrder order, std::uint64_t reads,
                                    std::uint64_t seed, mark::ThreadPool& threads);

}  // namespace jackdaw::bench
