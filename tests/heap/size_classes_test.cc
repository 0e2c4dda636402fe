// Size classes: every small size maps to the least class that holds it, and rounding up wastes little.
#include "heap/size_classes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace jackdaw::heap {
namespace {

TEST(SizeClasses, SlotsGrowFromOneGranuleToTheLargestSmallObject) {
  EXPECT_EQ(SizeClasses::slot_bytes(0), kGranuleBytes);
  for (std::size_t i = 1; i < SizeClasses::kCount; ++i) {
    EXPECT_LT(SizeClasses::slot_bytes(static_cast<std::uint8_t>(i - 1)),
              SizeClasses::slot_bytes(static_cast<std::uint8_t>(i)));
  }
  EXPECT_EQ(SizeClasses::slot_bytes(SizeClasses::kCount - 1), kLargestSmallBytes);
}

TEST(SizeClasses, SlotsKeepObjectsAligned) {
  for (std::size_t i = 0; i < SizeClasses::kCount; ++i) {
    EXPECT_EQ(SizeClasses::slot_bytes(static_cast<std::uint8_t>(i)) % kGranuleBytes, 0U) << "class " << i;
  }
}

TEST(SizeClasses, EverySizeMapsToTheLeastClassThatFits) {
  for (std::size_t bytes = 1; bytes <= kLargestSmallBytes; ++bytes) {
    const std::uint8_t size_class = SizeClasses::class_of(bytes);
    ASSERT_LT(size_class, SizeClasses::kCount) << bytes;
    ASSERT_GE(SizeClasses::slot_bytes(size_class), bytes);
    if (size_class > 0) {
      ASSERT_LT(SizeClasses::slot_bytes(static_cast<std::uint8_t>(size_class - 1)), bytes)
          << "a smaller class would fit";
    }
  }
}

TEST(SizeClasses, ClassesAreMonotone) {
  for (std::size_t bytes = 2; bytes <= kLargestSmallBytes; ++bytes) {
    ASSERT_GE(SizeClasses::class_of(bytes), SizeClasses::class_of(bytes - 1)) << bytes;
  }
}

TEST(SizeClasses, RoundingUpWastesAtMostAFifthAboveTheGranule) {
  for (std::size_t bytes = 129; bytes <= kLargestSmallBytes; ++bytes) {
    const std::size_t slot = SizeClasses::slot_bytes(SizeClasses::class_of(bytes));
    ASSERT_LE((slot - bytes) * 5, slot) << bytes;
  }
}

}  // namespace
}  // namespace jackdaw::heap
