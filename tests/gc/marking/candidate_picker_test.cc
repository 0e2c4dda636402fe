// CandidatePicker: whatever the instructions, the candidates are those that a word-by-word look finds.
#include "gc/marking/candidate_picker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "gc/marking/object_model.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

using Instructions = CandidatePicker::Instructions;

// Words of all sorts: in the heap's range and beside it, with every offset in a granule.
class CandidatePickerTest : public testing::TestWithParam<Instructions> {
 protected:
  std::uintptr_t any_word() {
    const heap::BlockMap& map = heap_.map();
    switch (random_() % 5) {
      case 0:
        return map.begin() + random_() % (map.end() - map.begin());
      case 1:
        return map.begin() - 1 + random_() % 3;
      case 2:
        return map.end() - 1 + random_() % 3;
      case 3:
        return random_();
      default:
        return 0;
    }
  }
  std::vector<std::uintptr_t> expected(heap::Words words) const {
    const heap::BlockMap::View view(heap_.map());
    std::vector<std::uintptr_t> passing;
    for (const heap::Word word : words) {
      if (view.displacements() == nullptr ? view.covers(word.bits) : view.may_keep(word.bits))
        passing.push_back(word.bits);
    }
    return passing;
  }
  void keep_displacements(std::initializer_list<std::size_t> offsets) {
    heap_.set_all_addresses_keep(false);
    for (const std::size_t offset : offsets) heap_.displacements().add(offset);
  }

  void expect_picks_of_all_lengths() {
    const CandidatePicker picker(heap_.map(), GetParam());
    for (std::size_t length = 0; length < 70; ++length) {
      std::vector<std::uintptr_t> words(length);
      for (std::uintptr_t& word : words) word = any_word();
      std::vector<std::uintptr_t> out(length + CandidatePicker::kScratch);
      const heap::Words all(heap::words_at(words.data()), length);
      out.resize(picker.pick(all, out.data()));
      EXPECT_EQ(out, expected(all)) << length << " words";
    }
  }

  // One task for each size class, some sizes twice, so that blocks are full to the end.
  std::vector<MarkTask> tasks_of_all_sizes() {
    std::vector<MarkTask> tasks;
    for (std::size_t bytes = 16; bytes <= heap::kLargestSmallBytes; bytes += bytes < 512 ? 16 : 496) {
      for (std::size_t i = 0; i <= heap::kBlockBytes / bytes; ++i) {
        heap::Object* const object = allocator_.allocate_plain(bytes, heap::KindNumber::words);
        const std::size_t words = heap::Heap::bytes_of(object) / heap::kWordBytes;
        for (std::size_t word = 0; word < words; ++word)
          reinterpret_cast<std::uintptr_t*>(object)[word] = any_word();
        tasks.push_back(HeapObjectModel().task_of(object));
      }
    }
    std::ranges::shuffle(tasks, random_);
    return tasks;
  }

  void expect_picks_from_tasks(std::size_t enough) {
    const CandidatePicker picker(heap_.map(), GetParam());
    const std::vector<MarkTask> tasks = tasks_of_all_sizes();
    std::vector<std::uintptr_t> out(enough + heap::kLargestSmallBytes / heap::kWordBytes +
                                    tasks.size() * CandidatePicker::kWordsUnchecked +
                                    CandidatePicker::kScratch);
    for (std::span<const MarkTask> left = tasks; !left.empty();) {
      const CandidatePicker::Picked picked = picker.pick_from(left, enough, out.data());
      ASSERT_GT(picked.tasks, 0U);
      std::vector<std::uintptr_t> all;
      for (const MarkTask task : left.first(picked.tasks)) {
        if (task.small_words() > CandidatePicker::kWordsUnchecked) {
          EXPECT_LT(all.size(), enough) << "there were enough";
        }
        std::ranges::copy(expected(task.small_object()), std::back_inserter(all));
      }
      EXPECT_EQ(std::vector(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(picked.candidates)), all);
      left = left.subspan(picked.tasks);
    }
  }

  std::mt19937_64 random_{7};
  heap::Heap heap_;
  heap::Allocator allocator_{heap_};
};

TEST_P(CandidatePickerTest, PicksWhatLiesInTheHeap) { expect_picks_of_all_lengths(); }

TEST_P(CandidatePickerTest, PicksWhatLiesInTheHeapAtADisplacement) {
  keep_displacements({1, 3, 40});
  expect_picks_of_all_lengths();
}

TEST_P(CandidatePickerTest, VisitsTasksUntilThereAreEnough) {
  for (const std::size_t enough : {std::size_t{1}, std::size_t{64}, std::size_t{1000}})
    expect_picks_from_tasks(enough);
}

// The buffer has room for the words of one large object beyond what is enough, and not for more behind it.
TEST_P(CandidatePickerTest, EndsAfterALargeObjectFullOfCandidates) {
  constexpr std::size_t kLargest = heap::kLargestSmallBytes / heap::kWordBytes;
  const CandidatePicker picker(heap_.map(), GetParam());
  std::vector<MarkTask> tasks;
  for (const std::size_t words : {kLargest, std::size_t{8}, std::size_t{4}, std::size_t{2}}) {
    heap::Object* const object = allocator_.allocate_plain(words * heap::kWordBytes, heap::KindNumber::words);
    std::ranges::fill(std::span(reinterpret_cast<heap::Object**>(object), words), object);
    tasks.push_back(HeapObjectModel().task_of(object));
  }
  std::vector<std::uintptr_t> out(64 + 2 * kLargest + CandidatePicker::kScratch);
  const CandidatePicker::Picked picked = picker.pick_from(tasks, 64, out.data());
  EXPECT_EQ(picked.tasks, 1U);
  EXPECT_EQ(picked.candidates, kLargest);
}

TEST_P(CandidatePickerTest, VisitsTasksWithDisplacements) {
  keep_displacements({2});
  expect_picks_from_tasks(64);
}

TEST_P(CandidatePickerTest, EndsBeforeATaskOfAnotherForm) {
  const CandidatePicker picker(heap_.map(), GetParam());
  heap::Object* const object = allocator_.allocate_plain(32, heap::KindNumber::words);
  const MarkTask small = HeapObjectModel().task_of(object);
  const std::vector<MarkTask> tasks{small, small, MarkTask(object, MarkTask::Form::by_kind), small};
  std::vector<std::uintptr_t> out(100);
  EXPECT_EQ(picker.pick_from(tasks, 64, out.data()).tasks, 2U);
  EXPECT_EQ(picker.pick_from(std::span(tasks).subspan(2), 64, out.data()).tasks, 0U);
}

// A word that was tested and then read again may be another one by then.
TEST_P(CandidatePickerTest, ReadsEachWordOnceWhileTheProgramWrites) {
  const CandidatePicker picker(heap_.map(), GetParam());
  constexpr std::size_t kWords = 22;  // eights, fours, two
  std::vector<MarkTask> tasks;
  for (const std::size_t words : {std::size_t{2}, std::size_t{4}, kWords})
    tasks.push_back(HeapObjectModel().task_of(allocator_.allocate_plain(words * 8, heap::KindNumber::words)));
  std::atomic<bool> is_over{false};
  std::jthread program([&] {
    for (std::uintptr_t word = 0; !is_over; word = word == 0 ? heap_.map().begin() : 0) {
      for (const MarkTask task : tasks) {
        for (const heap::Word& written : task.small_object())
          std::atomic_ref(const_cast<std::uintptr_t&>(written.bits)).store(word, std::memory_order_relaxed);
      }
    }
  });
  std::size_t outside = 0;
  const auto count_outside = [&](std::span<const std::uintptr_t> picked) {
    for (const std::uintptr_t word : picked) outside += heap_.map().covers(word) ? 0 : 1;
  };
  std::vector<std::uintptr_t> out(64 + kWords + CandidatePicker::kScratch);
  for (std::size_t round = 0; round < mark::scaled(200'000); ++round) {
    count_outside(std::span(out).first(picker.pick(tasks[2].small_object(), out.data())));
    count_outside(std::span(out).first(picker.pick_from(tasks, 64, out.data()).candidates));
  }
  is_over = true;
  EXPECT_EQ(outside, 0U);
}

INSTANTIATE_TEST_SUITE_P(Instructions, CandidatePickerTest, testing::ValuesIn(CandidatePicker::available()));

}  // namespace
}  // namespace jackdaw::gc
