// BlockMap: any address, also a wild one, leads to the object that it points into, or to none.
#include "heap/block_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "heap/size_classes.h"
#include "tests/scaled.h"

namespace jackdaw::heap {
namespace {

constexpr std::uintptr_t kStart = std::uintptr_t{7} << 40;
constexpr std::size_t kBlocks = 1024;

class BlockMapTest : public testing::Test {
 protected:
  static std::uintptr_t block(std::size_t index) { return kStart + index * kBlockBytes; }

  std::vector<std::uint64_t> entries_ = std::vector<std::uint64_t>(kBlocks);
  std::vector<std::uint8_t> blacklist_ = std::vector<std::uint8_t>(kBlocks);
  BlockMap map_{kStart, entries_, blacklist_.data()};
};

TEST_F(BlockMapTest, EmptyKnowsNoAddress) {
  for (std::uintptr_t address = kStart - kBlockBytes; address < block(kBlocks + 1); address += 4093)
    ASSERT_EQ(map_.start_of_object_at(address), 0U);
  EXPECT_EQ(BlockMap().start_of_object_at(0), 0U) << "a map of nothing";
  EXPECT_EQ(BlockMap().start_of_object_at(~std::uintptr_t{0}), 0U);
}

TEST_F(BlockMapTest, EveryByteOfASlotLeadsToItsStart) {
  for (std::uint8_t size_class = 0; size_class < SizeClasses::kCount; ++size_class) {
    const std::uint32_t bytes = SizeClasses::slot_bytes(size_class);
    map_.set(block(3), BlockShape::of_slots(bytes, Contents::words));
    for (std::uintptr_t offset = 0; offset < kBlockBytes; ++offset) {
      ASSERT_EQ(map_.start_of_object_at(block(3) + offset), block(3) + offset / bytes * bytes)
          << bytes << " bytes, offset " << offset;
    }
    EXPECT_EQ(map_.start_of_object_at(block(3) - 1), 0U);
    EXPECT_EQ(map_.start_of_object_at(block(4)), 0U);
  }
}

// Division by multiplication is exact for every slot that can be, not only for those that there are.
TEST_F(BlockMapTest, EveryNumberOfGranulesIsDividedExactly) {
  for (std::uint32_t granules = 1; granules <= kGranulesPerBlock / 2; ++granules) {
    const BlockShape shape =
        BlockShape::of_slots(granules * static_cast<std::uint32_t>(kGranuleBytes), Contents::words);
    for (std::uint32_t granule = 0; granule < kGranulesPerBlock; ++granule) {
      ASSERT_EQ(shape.slot_offset(granule), granule / granules * granules * kGranuleBytes)
          << granules << " granules, granule " << granule;
    }
  }
}

TEST_F(BlockMapTest, EveryBlockOfALargeObjectLeadsToItsStart) {
  for (std::uint32_t i = 0; i < 700; ++i) map_.set(block(20 + i), BlockShape::of_large(i, Contents::words));
  for (std::uintptr_t address = block(20); address < block(720); address += 1021)
    ASSERT_EQ(map_.start_of_object_at(address), block(20));
  EXPECT_EQ(map_.start_of_object_at(block(720) - 1), block(20));
  EXPECT_EQ(map_.start_of_object_at(block(20) - 1), 0U);
  EXPECT_EQ(map_.start_of_object_at(block(720)), 0U);
}

TEST_F(BlockMapTest, EveryByteOfASpanLeadsToItsSlot) {
  for (std::uint32_t quarters = 3; quarters <= SpanSizes::kMostQuarters; ++quarters) {
    const std::uint32_t blocks = SpanSizes::blocks(quarters);
    const std::size_t bytes = quarters * kQuarterBytes;
    ASSERT_EQ(SpanSizes::slots(quarters) * bytes, blocks * kBlockBytes);
    for (std::uint32_t i = 0; i < blocks; ++i)
      map_.set(block(20 + i), BlockShape::of_span(i, quarters, Contents::words));
    for (std::size_t offset = 0; offset < blocks * kBlockBytes; offset += 64)
      ASSERT_EQ(map_.start_of_object_at(block(20) + offset), block(20) + offset / bytes * bytes) << quarters;
    for (std::uint32_t i = 0; i < blocks; ++i) {
      EXPECT_TRUE(BlockShape::of_span(i, quarters, Contents::words).may_hold_references());
      EXPECT_FALSE(BlockShape::of_span(i, quarters, Contents::data).may_hold_references());
      map_.set(block(20 + i), {});
    }
  }
}

TEST_F(BlockMapTest, WildAddressesLeadNowhere) {
  for (std::size_t i = 0; i < kBlocks; ++i) map_.set(block(i), BlockShape::of_slots(16, Contents::words));
  const auto expected = [](std::uintptr_t address) {
    return address - kStart < kBlocks * kBlockBytes ? address / 16 * 16 : 0;
  };
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uintptr_t power = std::uintptr_t{1} << bit;
    for (const std::uintptr_t address : {power - 1, power, power + 1, ~power, ~power + 1, kStart | power,
                                         (kStart + 100) ^ power, kStart + power, kStart - power}) {
      EXPECT_EQ(map_.start_of_object_at(address), expected(address)) << std::hex << address;
    }
  }
}

TEST_F(BlockMapTest, MayBeReadWhileItIsWritten) {
  map_.set(block(0), BlockShape::of_slots(48, Contents::words));
  std::atomic<bool> started{false};
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop.load()) {
      started.store(true);
      ASSERT_EQ(map_.start_of_object_at(block(0) + 100), block(0) + 96);
      const std::uintptr_t seen = map_.start_of_object_at(block(1) + 100);
      ASSERT_TRUE(seen == 0 || seen == block(1) + 64 || seen == block(0)) << std::hex << seen;
    }
  });
  while (!started.load()) std::this_thread::yield();
  for (std::size_t i = 0; i < mark::scaled(1'000'000); ++i) {
    map_.set(block(1), BlockShape::of_slots(64, Contents::words));
    map_.set(block(1), BlockShape::of_large(1, Contents::words));
    map_.set(block(1), {});
  }
  stop.store(true);
  reader.join();
}

TEST_F(BlockMapTest, RemembersForTwoRoundsWhatWasBlacklisted) {
  map_.blacklist(block(3) + 5);
  EXPECT_TRUE(map_.is_blacklisted(block(3)));
  EXPECT_FALSE(map_.is_blacklisted(block(4)));
  map_.start_round();
  EXPECT_TRUE(map_.is_blacklisted(block(3)));
  map_.start_round();
  EXPECT_FALSE(map_.is_blacklisted(block(3)));
  for (int round = 0; round < 251; ++round) map_.start_round();
  map_.blacklist(block(5));
  map_.start_round();
  EXPECT_TRUE(map_.is_blacklisted(block(5))) << "also where the numbers of rounds begin anew";
}

TEST_F(BlockMapTest, TailsThatKeepNothingStillLeadToTheirStart) {
  map_.set(block(2), BlockShape::of_large(0, Contents::words));
  map_.set(block(3), BlockShape::of_large(1, Contents::words, true));
  EXPECT_EQ(map_.start_of_object_at(block(3) + 9), block(2));
  EXPECT_TRUE(map_.shape_at(block(3)).keeps_nothing());
  EXPECT_FALSE(map_.shape_at(block(2)).keeps_nothing());
}

TEST_F(BlockMapTest, KnowsWhereTheLastBlockIsThatHeldObjects) {
  EXPECT_EQ(map_.used_end(), kStart);
  map_.set(block(5), BlockShape::of_slots(64, Contents::words));
  EXPECT_EQ(map_.used_end(), block(6));
  map_.set(block(3), BlockShape::of_large(0, Contents::data));
  EXPECT_EQ(map_.used_end(), block(6));
  map_.set(block(kBlocks - 1), BlockShape::of_large(0, Contents::data));
  map_.set(block(kBlocks - 1), {});
  EXPECT_EQ(map_.used_end(), block(kBlocks)) << "also when they are gone";
}

TEST_F(BlockMapTest, KnowsTheLastBlockThatAnyThreadSet) {
  constexpr std::size_t kThreads = 4;
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, thread] {
      for (std::size_t each = thread; each < kBlocks; each += kThreads) {
        map_.set(block(each), BlockShape::of_slots(64, Contents::words));
        EXPECT_GE(map_.used_end(), block(each + 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(map_.used_end(), block(kBlocks));
}

TEST_F(BlockMapTest, ShapesTellWhetherObjectsMayHoldReferences) {
  EXPECT_FALSE(BlockShape().may_hold_references());
  constexpr std::uint32_t kFarthest = ~std::uint32_t{0};
  for (std::size_t number = 0; number < kContentsCount; ++number) {
    const auto contents = static_cast<Contents>(number);
    const bool expected = contents != Contents::data;
    for (std::uint8_t size_class = 0; size_class < SizeClasses::kCount; ++size_class) {
      const std::uint32_t bytes = SizeClasses::slot_bytes(size_class);
      EXPECT_EQ(BlockShape::of_slots(bytes, contents).may_hold_references(), expected);
      const BlockShape changed = BlockShape::of_slots(bytes, Contents::data).with_contents(contents);
      EXPECT_EQ(changed.may_hold_references(), expected);
      for (const BlockShape shape : {changed, BlockShape::of_slots(bytes, contents)}) {
        EXPECT_EQ(shape.holds_data(), contents == Contents::data);
        EXPECT_EQ(shape.fits_line(),
                  contents == Contents::words && (bytes == 16 || bytes == 32 || bytes == 64));
        EXPECT_EQ(shape.contents(), contents);
      }
    }
    for (const bool keeps_nothing : {false, true}) {
      for (const std::uint32_t blocks_back : {0U, 1U, kFarthest}) {
        const BlockShape shape = BlockShape::of_large(blocks_back, contents, keeps_nothing);
        EXPECT_EQ(shape.may_hold_references(), expected);
        EXPECT_EQ(shape.blocks_back(), blocks_back);
        EXPECT_EQ(shape.keeps_nothing(), keeps_nothing);
        EXPECT_TRUE(shape.is_large());
        EXPECT_FALSE(shape.holds_slots());
      }
    }
  }
}

}  // namespace
}  // namespace jackdaw::heap
