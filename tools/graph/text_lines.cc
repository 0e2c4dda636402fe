#include "tools/graph/text_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "tools/command/input_error.h"

namespace jackdaw::tools {

namespace {

constexpr std::string_view kBlanks = " \t\r";

/// Parses all of `word` as a number into `value`. `result_out_of_range`: it does not fit.
template <typename Value>
std::errc read_number(std::string_view word, Value& value) {
  const char* const end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, value);
  return stopped == end ? error : std::errc::invalid_argument;
}

}  // namespace

TextLines::TextLines(ByteSource& source, std::string_view comment_marks)
    : source_(source), progress_("reading " + source.name()), comment_marks_(comment_marks) {}

bool TextLines::next_of_all() {
  if (!source_.read_line(line_, kLongestLine + 1)) return false;
  ++number_;
  if (progress_.due()) progress_.draw(source_.file_bytes_taken(), source_.file_bytes());
  rest_ = line_;
  skip_blanks();
  if (is_comment() && line_.size() > kLongestLine) skip_rest_of_comment();
  return true;
}

bool TextLines::is_comment() const {
  return !rest_.empty() && comment_marks_.find(rest_.front()) != std::string_view::npos;
}

void TextLines::skip_rest_of_comment() {
  std::string part;
  std::size_t length = line_.size();
  while (source_.read_line(part, kLongestLine + 1)) {
    length += part.size();
    if (length > kLongestComment)
      fail(fmt::format("a comment of more than {} bytes; must be shorter", kLongestComment));
    if (part.size() <= kLongestLine) break;
  }
}

bool TextLines::next() {
  while (next_of_all()) {
    if (is_comment()) continue;
    if (line_.size() > kLongestLine) fail(fmt::format("more than {} bytes; must be fewer", kLongestLine));
    if (!rest_.empty()) return true;
  }
  return false;
}

std::string_view TextLines::take_word() {
  const std::string_view word = rest_.substr(0, rest_.find_first_of(kBlanks));
  rest_.remove_prefix(word.size());
  skip_blanks();
  return word;
}

std::optional<std::uint64_t> TextLines::take_whole_number() {
  std::uint64_t value = 0;
  if (read_number(take_word(), value) != std::errc{}) return std::nullopt;
  return value;
}

bool TextLines::take_number() {
  std::string_view word = take_word();
  if (word.starts_with('+')) word.remove_prefix(1);
  std::string number(word);
  std::ranges::replace_if(
      number, [](char letter) { return letter == 'D' || letter == 'd'; }, 'e');  // as Fortran writes it
  double value = 0;
  return read_number(number, value) != std::errc::invalid_argument;
}

void TextLines::skip_blanks() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
}

void TextLines::fail(const std::string& message) const {
  throw InputError(fmt::format("{}: line {}: {}", source_.name(), number_, message));
}

}  // namespace jackdaw::tools
