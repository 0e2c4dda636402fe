// TextLines: the lines of a text file, split into words and numbers.
//
// Memory and time are bounded: no more is kept of a comment than of other lines, and reading stops at a line
// that is too long. Blanks and tabs separate words; a line ends in a line feed, a carriage return or both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/command/progress.h"
#include "tools/graph/byte_source.h"

namespace jackdaw::tools {

class TextLines {
 public:
  static constexpr std::size_t kLongestLine = 4096;
  static constexpr std::size_t kLongestComment = std::size_t{1} << 20;

  /// `source` must be at its start. A line that begins with one of `comment_marks` is a comment.
  TextLines(ByteSource& source, std::string_view comment_marks);

  /// Goes to the next line of any kind. False at the end of the file. Throws InputError for a comment that is
  /// too long.
  bool next_of_all();
  /// Goes to the next line that is neither blank nor a comment. False at the end of the file. Throws
  /// InputError when it is too long.
  bool next();

  /// Takes the next word of the line; empty behind the last one.
  std::string_view take_word();
  /// Takes the next word, if it is a whole number below 2^64.
  std::optional<std::uint64_t> take_whole_number();
  /// Takes the next word and returns whether it is a number, of any size; an exponent may begin with D.
  bool take_number();
  /// Whether the line has no further word.
  [[nodiscard]] bool at_end_of_line() const { return rest_.empty(); }

  /// The number of the line, from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const ByteSource& source() const { return source_; }
  /// Throws InputError: "FILE: line NUMBER: MESSAGE".
  [[noreturn]] void fail(const std::string& message) const;

 private:
  void skip_blanks();
  [[nodiscard]] bool is_comment() const;
  void skip_rest_of_comment();

  ByteSource& source_;
  Progress progress_;
  std::string_view comment_marks_;
  std::string line_;
  std::string_view rest_;  ///< of the line, from the next word on
  std::uint64_t number_ = 0;
};

}  // namespace jackdaw::tools
