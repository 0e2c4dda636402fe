// Names out of files, as they are kept and as people see them.
#include "tools/command/printable_name.h"

#include <gtest/gtest.h>

#include <string>

namespace jackdaw::tools {
namespace {

TEST(Printable, LeavesLettersAlone) {
  for (const std::string text : {"", "Node<int>", "a b~", "\u00e9\u20ac\U0001f600\u00a0\u2010"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ReplacesControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31m\n\t\x7f"), "a?[31m???");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("\u0080\u009b31m\u009f"), "??31m?");  // 0x9b begins a sequence as ESC [ does
  EXPECT_EQ(printable("a\u202eb\u2066c\u200fd\u2028e"), "a?b?c?d?e");
}

TEST(Printable, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "?31m");
  EXPECT_EQ(printable("a\xff"
                      "b\xc3"),
            "a?b?");
  EXPECT_EQ(printable("\xc0\x9b"), "??");         // a longer form of ESC
  EXPECT_EQ(printable("\xed\xa0\x80z"), "???z");  // a surrogate
  EXPECT_EQ(printable("\xe2\x82"), "??");
}

TEST(NameToKeep, IsCutBetweenCharacters) {
  const std::string letters(255, 'x');
  EXPECT_EQ(name_to_keep(letters + "\x1b"), letters + "\x1b");
  EXPECT_EQ(name_to_keep(letters + "\u00e9"), letters);
  EXPECT_EQ(name_to_keep(letters + "yz"), letters + "y");
  EXPECT_EQ(name_to_keep(std::string(1000, '\x80')).size(), 253U);
}

}  // namespace
}  // namespace jackdaw::tools
