// RandomHeap: objects of random types, sizes and references, and the serial traversal that marks are held to.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/heap/serial_mark.h"
#include "gc/runtime/collector.h"
#include "gc/runtime/mutator.h"
#include "heap/object.h"
#include "heap/type_descriptor.h"
#include "mark/random_numbers.h"
#include "mark/statistics.h"

namespace jackdaw::gc {

/// Compares a collection with a serial traversal from the same roots made before it: marks and figures.
inline void expect_same_marks(const bench::SerialMark& serial, Collector& collector,
                              const CollectionResult& result) {
  const std::optional<std::string> difference = serial.difference(collector.heap());
  EXPECT_FALSE(difference.has_value()) << difference.value_or("");
  EXPECT_EQ(result.live_objects, serial.objects());
  EXPECT_EQ(result.workers.size(), collector.mark_threads());
  const mark::WorkerStatistics sum = mark::total(result.workers);
  EXPECT_EQ(sum.objects_marked, serial.objects());
  if (result.mark_passes == 1) {
    EXPECT_EQ(sum.references_visited, serial.references());
  } else {
    EXPECT_GE(sum.references_visited, serial.references()) << "rescanned objects are counted again";
  }
  EXPECT_GE(sum.tasks_executed, serial.objects() - serial.leaves());
  EXPECT_LE(sum.pops + sum.direct, sum.tasks_executed);
  EXPECT_EQ(sum.steal_attempts, sum.steals + sum.steals_empty + sum.steals_contended);
  EXPECT_LE(sum.overflow_peak, sum.overflow_pushes);
  EXPECT_LE(sum.overflow_pushes, sum.pushes);
  // The block where the last collection left off was granted in that one.
  EXPECT_LE(sum.takeovers, sum.grants + collector.mark_threads());
}

/// Where there is memory for all tasks, each is made once, taken once and executed once, in one pass. A
/// stolen task is pushed once more.
inline void expect_nothing_dropped(const CollectionResult& result) {
  const mark::WorkerStatistics sum = mark::total(result.workers);
  EXPECT_EQ(result.mark_passes, 1U);
  EXPECT_EQ(sum.pushes + sum.direct, sum.tasks_executed + sum.tasks_stolen);
  EXPECT_EQ(sum.pops + sum.direct, sum.tasks_executed);
}

/// A random graph of objects: four in ten are records with references at random words, two hold references
/// alone, two are data, two are arrays, some of them long. A fifth of the references are null. Seven in ten
/// objects refer to each other and have the roots; the others, garbage, refer to all, and stand in words that
/// are no references. The collector must not collect by itself while it is built, and must outlive it.
class RandomHeap {
 public:
  RandomHeap(Collector& collector, std::size_t objects, std::uint64_t seed)
      : collector_(collector), random_(seed) {
    make_types();
    {
      Mutator mutator(collector_);
      for (std::size_t i = 0; i < objects; ++i) add_object(mutator);
    }
    first_garbage_ = objects * 7 / 10;
    for (std::size_t i = 0; i < objects; ++i)
      link(objects_[i], i < first_garbage_ ? first_garbage_ : objects);
    for (std::size_t i = 0; i < 10; ++i)
      roots_.push_back(i % 4 == 3 ? nullptr : object_before(first_garbage_));
    collector_.add_roots(roots_);
    serial_.emplace(roots_);
  }
  ~RandomHeap() { collector_.remove_roots(roots_); }
  RandomHeap(const RandomHeap&) = delete;
  RandomHeap& operator=(const RandomHeap&) = delete;

  /// Objects made, reachable or not.
  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  [[nodiscard]] const bench::SerialMark& serial() const { return *serial_; }

  void expect_collected_correctly(const CollectionResult& result) const {
    expect_same_marks(*serial_, collector_, result);
  }

 private:
  using Layout = heap::TypeDescriptor::Layout;

  void make_types() {
    types_.reserve(40);
    for (std::size_t words = 1; words <= 8; ++words)
      types_.push_back(heap::TypeDescriptor::all_words(8 * words));
    types_.push_back(heap::TypeDescriptor::all_words(12'000));
    all_words_end_ = types_.size();
    for (std::uint32_t words = 2; words <= 20; ++words) {
      std::vector<std::uint32_t> places;
      for (std::uint32_t word = 1; word < words; ++word) {
        if (random_.below(2) == 0) places.push_back(word);
      }
      types_.push_back(heap::TypeDescriptor::offsets(8 * words, places));
    }
    offsets_end_ = types_.size();
    types_.push_back(heap::TypeDescriptor::none(0));
    types_.push_back(heap::TypeDescriptor::reference_array());
  }

  void add_object(Mutator& mutator) {
    const std::uint32_t dice = random_.below(1000);
    heap::Object* object = nullptr;
    if (dice < 400) {
      object = mutator.allocate(type_between(all_words_end_, offsets_end_));
    } else if (dice < 600) {
      // The last of them, 12,000 bytes, is rare.
      object = mutator.allocate(type_between(0, dice == 599 ? all_words_end_ : all_words_end_ - 1));
    } else if (dice < 800) {
      object = mutator.allocate(types_[offsets_end_], 16 + random_.below(dice == 799 ? 60'000 : 200));
    } else {
      const std::uint32_t longest = dice == 999 ? 20'000 : dice > 990 ? 1'500 : 8;
      object = mutator.allocate_array(types_.back(), random_.below(longest + 1));
    }
    ASSERT_NE(object, nullptr);
    objects_.push_back(object);
  }

  const heap::TypeDescriptor& type_between(std::size_t begin, std::size_t end) {
    return types_[begin + random_.below(static_cast<std::uint32_t>(end - begin))];
  }

  heap::Object* object_before(std::size_t end) {
    return objects_[random_.below(static_cast<std::uint32_t>(end))];
  }
  heap::Object* garbage() {
    const std::size_t count = objects_.size() - first_garbage_;
    return objects_[first_garbage_ + random_.below(static_cast<std::uint32_t>(count))];
  }

  // References lead to objects before number `end`.
  void link(heap::Object* object, std::size_t end) {
    const auto reference = [&] { return random_.below(5) == 0 ? nullptr : object_before(end); };
    const heap::TypeDescriptor& type = *object->type();
    switch (type.layout()) {
      case Layout::none:
        *object->slot(1) = garbage();
        break;
      case Layout::words:
        for (std::size_t word = 1; word < type.object_bytes() / 8; ++word) *object->slot(word) = garbage();
        for (std::size_t i = 0; i < type.words().count; ++i)
          *object->slot(type.words().first + i) = reference();
        break;
      case Layout::offsets:
        for (std::size_t word = 1; word < type.object_bytes() / 8; ++word) *object->slot(word) = garbage();
        for (const std::uint32_t word : type.reference_words()) *object->slot(word) = reference();
        break;
      case Layout::reference_array:
        for (std::uint64_t i = 0; i < object->array_length(); ++i) *object->element(i) = reference();
        break;
    }
  }

  Collector& collector_;
  mark::RandomNumbers random_;
  std::vector<heap::TypeDescriptor> types_;
  std::size_t all_words_end_ = 0;
  std::size_t offsets_end_ = 0;
  std::vector<heap::Object*> objects_;
  std::size_t first_garbage_ = 0;
  std::vector<heap::Object*> roots_;
  std::optional<bench::SerialMark> serial_;
};

}  // namespace jackdaw::gc
