// MarkTask: every node number and every address go in and come out, and neither disturbs the other.
#include "gc/marking/mark_task.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace jackdaw::gc {
namespace {

const heap::Object* at(std::uint64_t address) {
  return reinterpret_cast<const heap::Object*>(address);  // NOLINT(performance-no-int-to-ptr)
}

// Multiples of 16 below 2^48: the ends of the range, and every single bit set or clear.
std::vector<std::uint64_t> addresses() {
  constexpr std::uint64_t kLast = (std::uint64_t{1} << 48) - 16;
  std::vector<std::uint64_t> addresses = {0, 16, kLast, 0x5555'5555'5550, 0xaaaa'aaaa'aaa0};
  for (unsigned bit = 4; bit < 48; ++bit) {
    addresses.push_back(std::uint64_t{1} << bit);
    addresses.push_back(kLast & ~(std::uint64_t{1} << bit));
  }
  return addresses;
}

TEST(MarkTask, IsAsLargeAsAReference) { EXPECT_EQ(sizeof(MarkTask), sizeof(heap::Object*)); }

using Form = MarkTask::Form;
constexpr Form kForms[] = {Form::references, Form::words, Form::by_kind};

TEST(MarkTask, AWholeObjectIsNodeZero) {
  for (const std::uint64_t address : addresses()) {
    for (const Form form : kForms) {
      const MarkTask task(at(address), form);
      EXPECT_EQ(task.object(), at(address));
      EXPECT_EQ(task.form(), form);
      EXPECT_EQ(task.node(), 0U);
      EXPECT_EQ(task.is_whole_of_references(), form == Form::references);
      EXPECT_EQ(task.may_be_slice(), form == Form::words);
      EXPECT_FALSE(task.is_small_on_one_line());
      if (form == Form::references) {
        EXPECT_EQ(task.whole_object(), at(address));
      }
    }
  }
}

TEST(MarkTask, ASmallObjectOfWordsKnowsItsLength) {
  for (const std::uint64_t address : addresses()) {
    for (const std::uint32_t words : {2U, 4U, 6U, 8U, 10U, 1024U}) {
      const MarkTask task = MarkTask::of_slot(
          at(address), heap::BlockShape::of_slots(words * heap::kWordBytes, heap::Contents::words));
      EXPECT_EQ(task.object(), at(address));
      EXPECT_EQ(task.form(), Form::small_words);
      EXPECT_EQ(task.small_words(), words);
      // The picker has a loop for each of these, and would go on for ever with another.
      EXPECT_EQ(task.is_small_on_one_line(), words == 2 || words == 4 || words == 8);
      for (const std::uint32_t other : {2U, 4U, 8U})
        EXPECT_EQ(task.is_line_of(other), task.is_small_on_one_line() && other == words);
      EXPECT_FALSE(task.may_be_slice());
    }
  }
}

TEST(MarkTask, EveryNodeOfASliceTreeFits) {
  for (const std::uint64_t address :
       {std::uint64_t{16}, (std::uint64_t{1} << 48) - 16, std::uint64_t{0x7fff'1234'5670}}) {
    const Form form = address == 16 ? Form::words : Form::references;
    for (std::uint32_t node = 0; node < mark::Slices::kNodeLimit; ++node) {
      const MarkTask task(MarkTask(at(address), form), node);
      ASSERT_EQ(task.object(), at(address)) << node;
      ASSERT_EQ(task.form(), form) << node;
      ASSERT_EQ(task.node(), node);
    }
  }
}

TEST(MarkTask, EveryAddressFitsWithTheExtremeNodes) {
  for (const std::uint64_t address : addresses()) {
    const Form form = kForms[address / 16 % 3];
    for (const std::uint32_t node :
         {0U, 1U, 15U, 16U, mark::Slices::kNodeLimit / 2, mark::Slices::kNodeLimit - 1}) {
      const MarkTask task(MarkTask(at(address), form), node);
      ASSERT_EQ(task.object(), at(address)) << node;
      ASSERT_EQ(task.form(), form) << node;
      ASSERT_EQ(task.node(), node) << std::hex << address;
    }
  }
}

}  // namespace
}  // namespace jackdaw::gc
