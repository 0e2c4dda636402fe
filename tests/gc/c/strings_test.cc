// Copies of strings.
#include <gtest/gtest.h>

#include <cstring>
#include <cwchar>

#include "gc/c/interface.h"
#include "gc/c/kinds.h"

namespace {

TEST(Strings, AreCopiedWhole) {
  EXPECT_STREQ(GC_strdup("text"), "text");
  EXPECT_STREQ(GC_strdup(""), "");
  EXPECT_EQ(GC_strdup(nullptr), nullptr);
  EXPECT_STREQ(GC_wcsdup(L"wide"), L"wide");
  EXPECT_EQ(GC_get_kind_and_size(GC_strdup("text"), nullptr), GC_I_PTRFREE);
}

TEST(Strings, AreCopiedInPart) {
  EXPECT_STREQ(GC_strndup("text", 2), "te");
  EXPECT_STREQ(GC_strndup("text", 10), "text");
  const char without_end[] = {'a', 'b'};
  EXPECT_STREQ(GC_strndup(without_end, 2), "ab");
}

}  // namespace
