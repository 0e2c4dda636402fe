// HugePagePlan: which huge pages a chunk asks for, decided for each when its first block is taken.
#pragma once

#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heap/huge_pages.h"
#include "heap/layout.h"

namespace jackdaw::heap {

inline constexpr std::size_t kHugePages = kChunkBytes / HugePages::kBytes;
inline constexpr std::size_t kBlocksPerHugePage = kBlocksPerChunk / kHugePages;

/// Pages are numbered from the chunk's start on. The heap's lock guards all but populate().
class HugePagePlan {
 public:
  /// `huge_pages` decides on each page; null: the chunk was decided on as a whole.
  explicit HugePagePlan(HugePages* huge_pages) : huge_pages_(huge_pages) {
    if (huge_pages == nullptr) is_decided_.set();
  }

  [[nodiscard]] bool is_decided(std::size_t page) const { return is_decided_.test(page); }
  /// Decides on a page and advises the system. `memory` is the chunk's part of it.
  void decide(std::size_t page, std::span<std::byte> memory);
  void note_decision(std::size_t page, bool is_huge);
  /// Notes that the system has a part of a page back. A huge page in its place would take all memory again.
  void break_up(std::size_t page, std::span<std::byte> memory);
  /// Has the system populate taken blocks of a page: at once where it comes in small pages because huge ones
  /// are slow to come. Their memory is zero and the caller's. Any thread.
  void populate(std::size_t page, std::span<std::byte> memory);

 private:
  HugePages* const huge_pages_;
  std::bitset<kHugePages> is_decided_;
  std::bitset<kHugePages> is_broken_up_;
  // The pages that are small because huge ones are slow to come. Threads that took a block read it.
  std::atomic<std::uint8_t> small_pages_{0};
  std::atomic<std::uint8_t> untimed_pages_{0};  // huge ones that were not written to yet
};

}  // namespace jackdaw::heap
