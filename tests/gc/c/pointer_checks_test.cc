// Checked pointer arithmetic: what is right passes, what is wrong goes to the program's function or ends it.
#include <gtest/gtest.h>

#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

int failures = 0;
void note_two(void*, void*) { ++failures; }
void note_one(void*) { ++failures; }

class PointerChecks : public testing::Test {
 protected:
  PointerChecks() {
    GC_set_same_obj_print_proc(note_two);
    GC_set_is_visible_print_proc(note_one);
    GC_set_is_valid_displacement_print_proc(note_one);
    object_ = static_cast<char*>(GC_malloc(100));
    other_ = static_cast<char*>(GC_malloc(100));
    failures = 0;
  }

  char* object_;
  char* other_;
  char local_ = 0;
};

TEST_F(PointerChecks, SameObject) {
  EXPECT_EQ(GC_same_obj(object_ + 100, object_), object_ + 100);
  EXPECT_EQ(GC_same_obj(&local_, &failures), &local_);
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(GC_same_obj(object_, other_), object_);
  EXPECT_EQ(failures, 1);
  GC_same_obj(object_, &local_);
  GC_same_obj(&local_, object_);
  EXPECT_EQ(failures, 3);
}

TEST_F(PointerChecks, Visible) {
  EXPECT_EQ(GC_is_visible(object_ + 8), object_ + 8);
  EXPECT_EQ(GC_is_visible(&local_), &local_);
  EXPECT_EQ(failures, 0);
  GC_is_visible(GC_malloc_atomic(10));
  EXPECT_EQ(failures, 1);
}

TEST_F(PointerChecks, ValidDisplacement) {
  EXPECT_EQ(GC_is_valid_displacement(object_ + 8), object_ + 8);
  EXPECT_EQ(GC_is_valid_displacement(&local_), &local_);
  EXPECT_EQ(failures, 0);
  auto* const near_start = static_cast<char*>(GC_malloc_ignore_off_page(100'000));
  GC_is_valid_displacement(near_start + 100);
  EXPECT_EQ(failures, 0);
  GC_is_valid_displacement(near_start + 90'000);
  EXPECT_EQ(failures, 1);
}

TEST_F(PointerChecks, Increments) {
  void* pointer = object_;
  EXPECT_EQ(GC_pre_incr(&pointer, 8), object_ + 8);
  EXPECT_EQ(GC_post_incr(&pointer, -4), object_ + 8);
  EXPECT_EQ(pointer, object_ + 4);
  EXPECT_EQ(failures, 0);
  GC_post_incr(&pointer, 1000);
  EXPECT_EQ(failures, 1);
}

TEST_F(PointerChecks, FunctionsAreTheVariables) {
  EXPECT_EQ(GC_same_obj_print_proc, note_two);
  EXPECT_EQ(GC_get_same_obj_print_proc(), note_two);
  EXPECT_EQ(GC_get_is_visible_print_proc(), note_one);
  EXPECT_EQ(GC_get_is_valid_displacement_print_proc(), note_one);
}

TEST(PointerChecksDeathTest, EndTheProgramAtFirst) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  void* const one = GC_malloc(10);
  void* const other = GC_malloc(10);
  EXPECT_DEATH(GC_same_obj(one, other), "do not lie in the same object");
  EXPECT_DEATH(GC_is_visible(GC_malloc_atomic(10)), "keeps nothing");
  EXPECT_DEATH(GC_is_valid_displacement(static_cast<char*>(GC_malloc_ignore_off_page(100'000)) + 90'000),
               "keeps no object");
}

}  // namespace
}  // namespace jackdaw::c_interface
