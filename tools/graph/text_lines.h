// The lines of a text file, taken apart into words and numbers.
//
// Memory and time are bounded: of a comment no more is kept than of other lines, and no line is read on when
// it is too long. Words are parted by blanks and tabs; a line ends in a line feed, a carriage return or both.
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

  /// Goes to the next line, whatever it is. False at the end of the file. Throws InputError for a comment
  /// that is too long.
  bool next_of_all();
  /// Goes to the next line that is neither blank nor a comment. False at the end of the file. Throws
  /// InputError when it is too long.
  bool next();

  /// The next word of the line; empty behind the last one.
  std::string_view take_word();
  /// The next word, if it is a whole number below 2^64.
  std::optional<std::uint64_t> take_whole_number();
  /// Whether the next word is a number, however large or small; an exponent may begin with D.
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
  std::string_view rest_;  ///< of the line, from a word on
  std::uint64_t number_ = 0;
};

}  // namespace jackdaw::tools
