// Marking of memory that is searched word by word: whatever the threads and the way of marking, the marks are
// those of a serial search that asks the heap about each word.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "gc/marking/mark_engine.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "heap/word_scan.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

using heap::KindNumber;
using heap::Object;

// Which addresses in an object keep it.
enum class Keeping {
  all,
  near,  // displacements in the first granule
  far,   // and others
};

// Objects of words and of data, of all sizes, whose words are addresses of objects' starts and of places in
// them, addresses in the heap where no object is, and anything else.
class RandomWords {
 public:
  RandomWords(std::size_t objects, std::uint64_t seed, Keeping keeping) : random_(seed) {
    heap_.set_all_addresses_keep(keeping == Keeping::all);
    for (const std::size_t tag : {std::size_t{1}, std::size_t{2}, std::size_t{3}})
      heap_.displacements().add(tag);
    if (keeping == Keeping::far) heap_.displacements().add(24);
    objects_.reserve(objects);
    for (std::size_t i = 0; i < objects; ++i) objects_.push_back(new_object(i));
    for (Object* const object : objects_) fill(object);
    for (int i = 0; i < 30; ++i) roots_.push_back(any_object());
  }

  // Marks with the engine and compares.
  void expect_marks_like_serial_search(MarkEngine& marking) {
    heap_.clear_marks();
    ASSERT_TRUE(marking.mark({heap_.map()}, roots_, {}));
    std::set<Object*> marked;
    heap_.for_each_marked([&](Object* object) { marked.insert(object); });
    const std::set<Object*> expected = found_serially();
    EXPECT_GT(expected.size(), objects_.size() / 4);
    EXPECT_LT(expected.size(), objects_.size()) << "there is garbage, too";
    EXPECT_EQ(marked.size(), expected.size());
    EXPECT_TRUE(marked == expected);
  }

 private:
  static constexpr std::size_t kLongest = heap::kChunkBytes + 100'000;  // longer than a chunk

  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  Object* new_object(std::size_t number) {
    std::size_t bytes = 8 * (1 + below(16));
    if (number % 50 == 0) bytes = 8 * (1 + below(1000));
    if (number % 500 == 0) bytes = 8 * (1 + below(20'000));
    if (number == 0) bytes = kLongest;
    const KindNumber kind = below(5) == 0 ? KindNumber::data : KindNumber::words;
    Object* const object = allocator_.allocate_plain(bytes, kind);
    if (object == nullptr) throw std::bad_alloc();
    return object;
  }

  Object* any_object() { return objects_[below(objects_.size())]; }

  // Few are references, so that not all is reachable.
  std::uintptr_t any_word() {
    const auto object = reinterpret_cast<std::uintptr_t>(any_object());
    switch (below(12)) {
      case 0:
        return object;
      case 1:
        return object + below(4);
      case 2:
        return object + below(heap::Heap::bytes_of(reinterpret_cast<Object*>(object)));
      case 3:
        return heap_.map().begin() + below(4 * heap::kChunkBytes);
      case 4:
        return random_();
      case 5:
        return heap_.map().begin() - 1 - below(100);
      default:
        return 0;
    }
  }

  void fill(Object* object) {
    auto* const words = reinterpret_cast<std::uintptr_t*>(object);
    const std::size_t count = heap::Heap::bytes_of(object) / heap::kWordBytes;
    // A long object gets words in a few places, above all at its end.
    const std::size_t step = count > 100 ? count / 20 : 1;
    for (std::size_t i = 0; i < count; i += step) words[count - 1 - i] = any_word();
  }

  std::set<Object*> found_serially() {
    std::set<Object*> found(roots_.begin(), roots_.end());
    std::vector<Object*> waiting(found.begin(), found.end());
    while (!waiting.empty()) {
      Object* const object = waiting.back();
      waiting.pop_back();
      if (heap::Chunk::of(object)->contents_of(object) == heap::Contents::data) continue;
      const auto* const words = reinterpret_cast<const void* const*>(object);
      for (std::size_t i = 0; i < heap::Heap::bytes_of(object) / heap::kWordBytes; ++i) {
        if (words[i] == nullptr) continue;
        // By way of the start: the last block of a large object counts as a whole.
        const std::uintptr_t start =
            heap_.map().start_of_object_at(reinterpret_cast<std::uintptr_t>(words[i]));
        Object* const next = heap_.object_at(reinterpret_cast<const void*>(start));
        if (next == nullptr || !keeps(words[i], next)) continue;
        if (found.insert(next).second) waiting.push_back(next);
      }
    }
    return found;
  }

  [[nodiscard]] bool keeps(const void* word, const Object* object) {
    const std::size_t offset =
        reinterpret_cast<std::uintptr_t>(word) - reinterpret_cast<std::uintptr_t>(object);
    return heap_.map().displacements() == nullptr || heap_.displacements().contains(offset);
  }

  std::mt19937_64 random_;
  heap::Heap heap_;
  heap::Allocator allocator_{heap_};
  std::vector<Object*> objects_;
  std::vector<Object*> roots_;
};

// A marking that follows another finds helpers awake, and what it learned.
constexpr int kRuns = mark::kSanitized ? 2 : 3;
constexpr std::uint64_t kHeaps = mark::kSanitized ? 1 : 3;

class WordsMark : public testing::TestWithParam<std::tuple<std::uint32_t, std::uint64_t, Keeping>> {};

TEST_P(WordsMark, EqualsTheSerialSearch) {
  MarkingOptions options;
  options.engine.threads = std::get<0>(GetParam());
  options.engine.tuning.serial_references = std::get<1>(GetParam());
  options.engine.tuning.blocks = 8;
  options.engine.tuning.block_size = 16;
  const std::unique_ptr<MarkEngine> marking = make_mark_engine(options);
  for (std::uint64_t seed = 1; seed <= kHeaps; ++seed) {
    RandomWords words(mark::scaled(20'000), seed, std::get<2>(GetParam()));
    for (int run = 0; run < kRuns; ++run) words.expect_marks_like_serial_search(*marking);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, WordsMark,
                         testing::Combine(testing::Values(1U, 2U, 4U),
                                          testing::Values(std::uint64_t{0}, std::uint64_t{5000}),
                                          testing::Values(Keeping::all, Keeping::near, Keeping::far)));

}  // namespace
}  // namespace jackdaw::gc
