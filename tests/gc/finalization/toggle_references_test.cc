// ToggleReferences: objects are held as the program says before each collection.
#include "gc/finalization/toggle_references.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>

#include "tests/address_space_limit.h"
#include "tests/gc/finalization/stopped_program.h"

namespace jackdaw::gc {
namespace {

using heap::Object;

class ToggleReferencesTest : public testing::Test {
 protected:
  ToggleReferences& references() { return program_.tables.toggle_references; }
  void collect() {
    references().update([this](Object* object) { return holds_.at(object); });
    program_.collect();
  }

  StoppedProgram program_;
  std::map<Object*, Hold> holds_;
};

TEST_F(ToggleReferencesTest, HoldObjectsAsTheyAreAdded) {
  Object* const strong = program_.allocate();
  Object* const behind = program_.allocate();
  Object* const weak = program_.allocate();
  *strong->slot(0) = behind;
  ASSERT_TRUE(references().add(strong, true));
  ASSERT_TRUE(references().add(weak, false));
  program_.collect();
  EXPECT_TRUE(program_.is_there(strong));
  EXPECT_TRUE(program_.is_there(behind));
  EXPECT_FALSE(program_.is_there(weak));
  EXPECT_EQ(references().size(), 1U) << "the dead one is off the list";
}

TEST_F(ToggleReferencesTest, ToFreedObjectsAreRemoved) {
  for (const std::size_t words : StoppedProgram::kAllSizes) {
    Object* const object = program_.allocate(words);
    ASSERT_TRUE(references().add(object, false));
    program_.free(object);
    program_.collect();
    EXPECT_EQ(references().size(), 0U) << words;
  }
}

TEST_F(ToggleReferencesTest, HoldObjectsAsTheProgramSays) {
  Object* const object = program_.allocate();
  ASSERT_TRUE(references().add(object, false));
  holds_[object] = Hold::strongly;
  for (int i = 0; i < 2; ++i) {
    collect();
    EXPECT_TRUE(program_.is_there(object));
  }
  program_.roots = {object};
  holds_[object] = Hold::weakly;
  collect();
  EXPECT_EQ(references().size(), 1U) << "weakly, but something else holds it";
  program_.roots.clear();
  collect();
  EXPECT_FALSE(program_.is_there(object));
  EXPECT_EQ(references().size(), 0U);
}

TEST_F(ToggleReferencesTest, DropObjectsThatLiveOn) {
  Object* const kept = program_.allocate();
  Object* const dropped = program_.allocate();
  for (Object* const object : {dropped, kept, dropped}) ASSERT_TRUE(references().add(object, true));
  holds_[kept] = Hold::strongly;
  holds_[dropped] = Hold::dropped;
  program_.roots = {dropped};
  collect();
  EXPECT_EQ(references().size(), 1U);
  EXPECT_TRUE(program_.is_there(dropped));
  EXPECT_TRUE(program_.is_there(kept));
}

// An object that is held weakly and resurrected by its finalizer stays on the list.
TEST_F(ToggleReferencesTest, KeepWhatFinalizersKeep) {
  Object* const object = program_.allocate();
  ASSERT_TRUE(references().add(object, false));
  ASSERT_TRUE(register_finalizer(program_.tables, object, FinalizerKind::ordered));
  program_.collect();
  EXPECT_EQ(references().size(), 1U);
  EXPECT_EQ(program_.take_ready().size(), 1U);
  program_.collect();
  EXPECT_EQ(references().size(), 0U);
}

TEST_F(ToggleReferencesTest, SayWhenThereIsNoMemory) {
  Object* const object = program_.allocate();
  std::size_t added = 0;
  {
    const AddressSpaceLimit limit(std::size_t{256} << 10);
    while (references().add(object, true)) ++added;
  }
  EXPECT_GT(added, 500U);
  EXPECT_EQ(references().size(), added);
  program_.collect();
  EXPECT_TRUE(program_.is_there(object));
  EXPECT_TRUE(references().add(object, true)) << "memory is back";
}

}  // namespace
}  // namespace jackdaw::gc
