#include "tools/command/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <initializer_list>

#include "tools/command/utf8.h"

namespace jackdaw::tools {

namespace {

// Returns the first of the variables that is set and not empty.
std::string_view first_of(std::initializer_list<const char*> variables) {
  for (const char* const variable : variables) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return "";
}

// The locale's files need not be installed, as its name says enough.
bool locale_has_utf8() {
  const std::string_view locale = first_of({"LC_ALL", "LC_CTYPE", "LANG"});
  for (const char* const name : {"UTF-8", "utf-8", "UTF8", "utf8"})
    if (locale.find(name) != std::string_view::npos) return true;
  return false;
}

std::size_t output_columns() {
  const std::string_view told = first_of({"COLUMNS"});
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(told.data(), told.data() + told.size(), columns);
  if (error == std::errc() && end == told.data() + told.size()) return columns;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string fit_line(std::string_view line, const Terminal& terminal) {
  std::string shown;
  for (std::size_t column = 0; !line.empty(); ++column) {
    const std::size_t length = std::max<std::size_t>(utf8_length(line), 1);
    const bool is_cut = terminal.columns != 0 && column + 1 == terminal.columns && line.size() > length;
    if (is_cut) return shown + (terminal.has_utf8 ? "…" : ">");
    const bool is_shown = length == 1 || terminal.has_utf8;
    shown += is_shown ? line.substr(0, length) : "?";
    line.remove_prefix(length);
  }
  return shown;
}

}  // namespace

Terminal Terminal::of_output() { return {locale_has_utf8(), output_columns()}; }

std::string Terminal::fit(std::string_view text) const {
  std::string fitted;
  while (!text.empty()) {
    const std::size_t length = text.find('\n');
    fitted += fit_line(text.substr(0, length), *this);
    if (length == std::string_view::npos) break;
    fitted += '\n';
    text.remove_prefix(length + 1);
  }
  return fitted;
}

}  // namespace jackdaw::tools
