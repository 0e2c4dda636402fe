// Finalization on random graphs, through collections in which objects die, are brought back and are made anew
// in the memory of dead ones, against a serial model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gc/finalization/finalization.h"
#include "gc/marking/mark_engine.h"
#include "mark/random_numbers.h"
#include "tests/gc/finalization/finalization_model.h"
#include "tests/gc/finalization/stopped_program.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

using heap::Object;

struct Setup {
  std::uint32_t threads;
  bool java;
  bool drops_tasks;
};

MarkingOptions marking_options(const Setup& setup) {
  MarkingOptions options;
  options.engine.threads = setup.threads;
  if (setup.drops_tasks) {
    options.engine.tuning.blocks = 2;
    options.engine.tuning.block_size = 2;
    options.engine.overflow_limit = 0;
  }
  return options;
}

// The program and its model, changed in step. Objects have numbers; three in four have references in their
// words, the others, boxes, are data, and have links in theirs. A link has a number, too: that of its object
// if it lies in a box, and one beyond if it lies outside the heap.
class RandomProgram {
 public:
  RandomProgram(const Setup& setup, std::size_t objects, std::uint64_t seed)
      : setup_(setup),
        random_(seed),
        program_(marking_options(setup)),
        objects_(objects),
        outer_words_(2 * objects) {
    model_.references.resize(objects);
    for (std::size_t i = 0; i < objects; ++i) make_object(i);
    for (std::size_t i = 0; i < objects; ++i) equip(i);
    for (std::size_t i = 0; i < objects; ++i) model_.marked.insert(i);
  }

  void step() {
    take_ready();
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (!model_.marked.contains(i)) make_object(i);
    }
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (!model_.marked.contains(i) || one_in(20)) equip(i);
    }
    choose_roots();
  }

  /// Finalizers that were ready and taken so far.
  [[nodiscard]] std::size_t taken() const { return taken_; }

  void collect_and_compare() {
    update_toggles();
    program_.collect(setup_.java);
    model_.collect(setup_.java);
    for (std::size_t i = 0; i < objects_.size(); ++i)
      ASSERT_EQ(program_.is_there(objects_[i]), model_.marked.contains(i)) << "object " << i;
    EXPECT_EQ(program_.tables.finalizers.registered(), model_.finalizers.size());
    EXPECT_EQ(program_.tables.finalizers.has_ready(), !model_.ready.empty());
    EXPECT_EQ(program_.tables.toggle_references.size(), model_.toggles.size());
    compare_links(program_.tables.short_links, model_.short_links, model_.cleared_short, 0);
    compare_links(program_.tables.long_links, model_.long_links, model_.cleared_long, 1);
  }

 private:
  static constexpr std::size_t kWords = 6;

  bool one_in(std::uint32_t count) { return random_.below(count) == 0; }
  std::size_t any() { return random_.below(static_cast<std::uint32_t>(objects_.size())); }
  static bool is_box(std::size_t number) { return number % 4 == 3; }

  // In memory that is new or a dead object's. Nothing refers to it, and it to nothing.
  void make_object(std::size_t number) {
    objects_[number] = is_box(number) ? program_.allocate_data(kWords) : program_.allocate(kWords);
    ASSERT_NE(objects_[number], nullptr);
    model_.references[number].clear();
  }

  void equip(std::size_t number) {
    if (!is_box(number)) set_references(number);
    if (one_in(4)) set_finalizer(number);
    const bool is_outer = !is_box(number);
    if (one_in(2)) set_link(program_.tables.short_links, model_.short_links, number, is_outer, 0);
    if (one_in(2)) set_link(program_.tables.long_links, model_.long_links, number, is_outer, 1);
    if (one_in(50)) add_toggle(number);
  }

  // Few, so that chains are long and cycles are not everywhere; to neighbours, for the same reason.
  void set_references(std::size_t number) {
    model_.references[number].clear();
    const std::size_t count = one_in(5) ? 2 : random_.below(2);
    for (std::size_t word = 0; word < kWords; ++word) {
      *objects_[number]->slot(word) = nullptr;
      if (word >= count) continue;
      const std::size_t target = one_in(15) ? number : one_in(4) ? any() : near(number);
      *objects_[number]->slot(word) = objects_[target];
      model_.references[number].push_back(target);
    }
  }
  std::size_t near(std::size_t number) {
    return std::min(objects_.size() - 1, number + 1 + random_.below(5));
  }

  void set_finalizer(std::size_t number) {
    const auto kind = static_cast<FinalizerKind>(random_.below(4));
    std::optional<std::size_t> data;
    if (one_in(10)) data = any();
    if (model_.ready.contains(number)) return;
    if (one_in(10)) {
      const Finalizer taken = program_.tables.finalizers.take_back(objects_[number]);
      EXPECT_EQ(taken.function != nullptr, model_.finalizers.erase(number) == 1);
      return;
    }
    ASSERT_TRUE(
        register_finalizer(program_.tables, objects_[number], kind, data ? objects_[*data] : nullptr));
    model_.finalizers.insert_or_assign(number, FinalizationModel::ModelFinalizer{kind, data});
  }

  // Where link `number` is.
  void** link_word(std::size_t number, bool is_outer, std::size_t which) {
    return is_outer ? &outer_words_[2 * number + which] : link_in(objects_[number], which);
  }

  void set_link(WeakLinks& links, FinalizationModel::Links& model, std::size_t number, bool is_outer,
                std::size_t which) {
    const std::size_t target = any();
    void** const word = link_word(number, is_outer, which);
    *word = objects_[target];
    const LinkResult result = links.register_link(word, objects_[target]);
    EXPECT_EQ(result == LinkResult::duplicate, model.contains(number));
    std::optional<std::size_t> box;
    if (!is_outer) box = number;
    model.insert_or_assign(number, FinalizationModel::ModelLink{box, target});
  }

  void add_toggle(std::size_t number) {
    if (!model_.toggles.emplace(number, false).second) return;
    ASSERT_TRUE(program_.tables.toggle_references.add(objects_[number], false));
  }

  void update_toggles() {
    std::map<Object*, std::size_t> numbers;
    for (const auto& [number, is_strong] : model_.toggles) numbers[objects_[number]] = number;
    program_.tables.toggle_references.update([&](Object* object) {
      const std::size_t number = numbers.at(object);
      const auto hold = static_cast<Hold>(random_.below(3));
      if (hold == Hold::dropped) {
        model_.toggles.erase(number);
      } else {
        model_.toggles[number] = hold == Hold::strongly;
      }
      return hold;
    });
  }

  // Some of those that are ready, in order; one in four is brought back.
  void take_ready() {
    std::map<Object*, std::size_t> numbers;
    for (const auto& [number, finalizer] : model_.ready) numbers[objects_[number]] = number;
    for (ReadyFinalizer ready; !one_in(1000) && program_.tables.finalizers.take_ready(ready);) {
      const auto found = numbers.find(ready.object);
      ASSERT_NE(found, numbers.end()) << "not ready, or taken twice";
      const FinalizationModel::ModelFinalizer expected = model_.ready.at(found->second);
      EXPECT_EQ(ready.finalizer.kind, expected.kind);
      EXPECT_EQ(ready.finalizer.data, expected.data ? objects_[*expected.data] : nullptr);
      model_.ready.erase(found->second);
      ++taken_;
      if (one_in(4)) brought_back_.push_back(found->second);
      numbers.erase(found);
    }
  }

  void choose_roots() {
    model_.roots.clear();
    model_.roots.insert(brought_back_.begin(), brought_back_.end());
    brought_back_.clear();
    for (std::size_t i = 0; i < objects_.size() / 50; ++i) model_.roots.insert(any());
    program_.roots.clear();
    for (const std::size_t root : model_.roots) program_.roots.push_back(objects_[root]);
  }

  void compare_links(const WeakLinks& links, const FinalizationModel::Links& model,
                     const std::set<std::size_t>& cleared, std::size_t which) {
    EXPECT_EQ(links.size(), model.size());
    for (const auto& [number, link] : model)
      ASSERT_EQ(*link_word(number, !link.box.has_value(), which), objects_[link.target]) << "link " << number;
    for (const std::size_t number : cleared) {
      if (is_box(number) && !model_.marked.contains(number)) continue;  // its memory may be gone
      ASSERT_EQ(*link_word(number, !is_box(number), which), nullptr) << "link " << number;
    }
  }

  const Setup setup_;
  mark::RandomNumbers random_;
  StoppedProgram program_;
  FinalizationModel model_;
  std::vector<Object*> objects_;
  std::vector<void*> outer_words_;
  std::vector<std::size_t> brought_back_;
  std::size_t taken_ = 0;
};

class RandomFinalization : public testing::TestWithParam<Setup> {};

TEST_P(RandomFinalization, IsThatOfTheModel) {
  const std::size_t objects = mark::scaled(3000);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    RandomProgram program(GetParam(), objects, seed);
    for (int round = 0; round < 12; ++round) {
      ASSERT_NO_FATAL_FAILURE(program.step());
      ASSERT_NO_FATAL_FAILURE(program.collect_and_compare()) << "seed " << seed << ", round " << round;
    }
    EXPECT_GT(program.taken(), objects / 4) << "too few for a test";
  }
}

std::string name_of_setup(const testing::TestParamInfo<Setup>& info) {
  return std::to_string(info.param.threads) + "_threads" + (info.param.java ? "_java" : "") +
         (info.param.drops_tasks ? "_dropping" : "");
}

INSTANTIATE_TEST_SUITE_P(Setups, RandomFinalization,
                         testing::Values(Setup{1, false, false}, Setup{1, true, false},
                                         Setup{4, false, false}, Setup{4, true, true}),
                         name_of_setup);

}  // namespace
}  // namespace jackdaw::gc
