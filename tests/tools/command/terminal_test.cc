// The environment describes a terminal, and lines are made to fit it.
#include "tools/command/terminal.h"

#include <gtest/gtest.h>

#include "tests/environment_variable.h"

namespace jackdaw::tools {
namespace {

TEST(Terminal, HasTheLocalesLetters) {
  const Variable language("LANG", "de_DE.UTF-8");
  const Variable type("LC_CTYPE", "");
  const Variable all("LC_ALL", "");
  EXPECT_TRUE(Terminal::of_output().has_utf8);
  const Variable c("LC_ALL", "C");
  EXPECT_FALSE(Terminal::of_output().has_utf8) << "LC_ALL comes first";
  const Variable utf8("LC_ALL", "en_GB.utf8");
  EXPECT_TRUE(Terminal::of_output().has_utf8);
}

TEST(Terminal, HasTheColumnsThatTheUserSays) {
  const Variable columns("COLUMNS", "72");
  EXPECT_EQ(Terminal::of_output().columns, 72U);
}

TEST(Terminal, CutsLines) {
  const Terminal terminal{.has_utf8 = true, .columns = 5};
  EXPECT_EQ(terminal.fit("12345\n123456\n\néééééé\n123"), "12345\n1234…\n\néééé…\n123");
  EXPECT_EQ((Terminal{.has_utf8 = false, .columns = 5}.fit("123456\n")), "1234>\n");
  EXPECT_EQ((Terminal{.has_utf8 = true, .columns = 0}.fit("123456\n")), "123456\n");
}

TEST(Terminal, ShowsQuestionMarksForOtherLetters) {
  EXPECT_EQ((Terminal{.has_utf8 = false, .columns = 0}.fit("aé€b\n")), "a??b\n");
}

}  // namespace
}  // namespace jackdaw::tools
