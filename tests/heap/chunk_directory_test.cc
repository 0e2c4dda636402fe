// ChunkDirectory: any address, also a wild one, leads to its chunk or to none.
#include "heap/chunk_directory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "heap/chunk_memory.h"
#include "tests/mark/sanitized.h"

namespace jackdaw::heap {
namespace {

class ChunkDirectoryTest : public testing::Test {
 protected:
  ~ChunkDirectoryTest() override {
    for (Chunk* const chunk : chunks_) ChunkMemory::release(chunk);
  }

  Chunk* make(std::size_t total_bytes = kChunkBytes) {
    Chunk* const chunk = ChunkMemory::allocate(total_bytes);
    if (chunk != nullptr) chunks_.push_back(chunk);
    return chunk;
  }
  Chunk* find(std::uintptr_t address) const {
    return directory_.find(reinterpret_cast<const void*>(address));  // NOLINT(performance-no-int-to-ptr)
  }
  static std::uintptr_t address_of(const Chunk* chunk) { return reinterpret_cast<std::uintptr_t>(chunk); }

  ChunkDirectory directory_;
  std::vector<Chunk*> chunks_;
};

TEST_F(ChunkDirectoryTest, EmptyKnowsNoAddress) {
  for (const std::uintptr_t address : {std::uintptr_t{0}, std::uintptr_t{1}, std::uintptr_t{1} << 30}) {
    EXPECT_EQ(find(address), nullptr);
  }
  const int local = 0;
  EXPECT_EQ(directory_.find(&local), nullptr);
}

TEST_F(ChunkDirectoryTest, KnowsEveryAddressOfAChunkAndNoneBeside) {
  Chunk* const chunk = make();
  ASSERT_TRUE(directory_.insert(chunk));
  const std::uintptr_t start = address_of(chunk);
  for (std::uintptr_t offset = 0; offset < kChunkBytes; offset += 4093)
    EXPECT_EQ(find(start + offset), chunk);
  EXPECT_EQ(find(start + kChunkBytes - 1), chunk);
  EXPECT_EQ(find(start - 1), nullptr);
  EXPECT_EQ(find(start + kChunkBytes), nullptr);
}

TEST_F(ChunkDirectoryTest, WildAddressesAreNoChunks) {
  Chunk* const chunk = make();
  ASSERT_TRUE(directory_.insert(chunk));
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uintptr_t power = std::uintptr_t{1} << bit;
    for (const std::uintptr_t address : {power - 1, power, power + 1, ~power, ~power + 1, ~(power - 1)}) {
      const bool inside = address - address_of(chunk) < kChunkBytes;
      EXPECT_EQ(find(address), inside ? chunk : nullptr) << std::hex << address;
    }
  }
  // The kernel's half, the gap between the halves, and the chunk's own address with high bits set.
  for (const std::uintptr_t high : {std::uintptr_t{1} << 48, std::uintptr_t{1} << 63,
                                    std::uintptr_t{0xffff} << 48, std::uintptr_t{0xffff8} << 44}) {
    EXPECT_EQ(find(address_of(chunk) | high), nullptr) << std::hex << high;
  }
  EXPECT_EQ(find(~std::uintptr_t{0}), nullptr);
}

TEST_F(ChunkDirectoryTest, ALongChunkIsKnownInAllItsPieces) {
  constexpr std::size_t kBytes = 5 * kChunkBytes / 2;
  Chunk* const chunk = make(kBytes);
  ASSERT_TRUE(directory_.insert(chunk));
  const std::uintptr_t start = address_of(chunk);
  for (std::uintptr_t offset = 0; offset < kBytes; offset += kBlockBytes)
    ASSERT_EQ(find(start + offset), chunk);
  EXPECT_EQ(find(start + kBytes - 1), chunk);
  EXPECT_EQ(find(start - 1), nullptr);
  EXPECT_EQ(find(start + 3 * kChunkBytes), nullptr);
  directory_.erase(chunk);
  for (std::uintptr_t offset = 0; offset < kBytes; offset += kBlockBytes)
    ASSERT_EQ(find(start + offset), nullptr);
}

TEST_F(ChunkDirectoryTest, EraseTakesOutThatChunkAlone) {
  std::vector<Chunk*> chunks;
  for (int i = 0; i < 40; ++i) {
    chunks.push_back(make());
    ASSERT_TRUE(directory_.insert(chunks.back()));
  }
  for (std::size_t erased = 0; erased < chunks.size(); erased += 2) directory_.erase(chunks[erased]);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    EXPECT_EQ(find(address_of(chunks[i]) + kChunkBytes / 2), i % 2 == 0 ? nullptr : chunks[i]);
  }
}

TEST_F(ChunkDirectoryTest, MayBeReadWhileItIsWritten) {
  Chunk* const fixed = make();
  Chunk* const moving = make(2 * kChunkBytes);
  ASSERT_TRUE(directory_.insert(fixed));
  std::atomic<bool> started{false};
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop.load()) {
      started.store(true);
      ASSERT_EQ(find(address_of(fixed) + 100), fixed);
      Chunk* const seen = find(address_of(moving) + kChunkBytes + 100);
      ASSERT_TRUE(seen == nullptr || seen->total_bytes() == 2 * kChunkBytes);
    }
  });
  while (!started.load()) std::this_thread::yield();
  for (std::size_t i = 0; i < mark::scaled(1'000'000); ++i) {
    EXPECT_TRUE(directory_.insert(moving));
    directory_.erase(moving);
  }
  stop.store(true);
  reader.join();
}

}  // namespace
}  // namespace jackdaw::heap
