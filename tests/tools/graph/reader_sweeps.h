// Files that a reader must withstand: cut, bent, and those of a corpus.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "tests/tools/graph/bytes.h"
#include "tests/tools/graph/reader_checks.h"

namespace jackdaw::tools {

/// A check of reader_checks.h.
using ReaderCheck = ReadOutcome (*)(std::span<const std::uint8_t>);

/// The message that refuses `bytes`, or "accepted".
[[nodiscard]] inline std::string refusal_by(ReaderCheck check, const Bytes& bytes) {
  const ReadOutcome outcome = check(bytes);
  EXPECT_EQ(outcome.defect, "");
  return outcome.accepted ? "accepted" : outcome.message;
}

/// How many prefixes of `bytes`, the whole left out, are accepted.
[[nodiscard]] inline std::size_t accepted_prefixes(ReaderCheck check, const Bytes& bytes) {
  std::size_t accepted = 0;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const ReadOutcome outcome = check(std::span(bytes).first(length));
    EXPECT_EQ(outcome.defect, "") << "cut to " << length << " bytes: " << outcome.message;
    if (outcome.accepted) ++accepted;
  }
  return accepted;
}

/// Reads `bytes` with each of them bent in some ways.
inline void bend_every_byte(ReaderCheck check, Bytes bytes) {
  for (const int mask : {0x01, 0x02, 0x80, 0xff}) {
    for (std::size_t place = 0; place < bytes.size(); ++place) {
      bytes[place] ^= static_cast<std::uint8_t>(mask);
      const ReadOutcome outcome = check(bytes);
      EXPECT_EQ(outcome.defect, "") << "byte " << place << " xor " << mask << ": " << outcome.message;
      bytes[place] ^= static_cast<std::uint8_t>(mask);
    }
  }
}

/// Runs a fuzzer's corpus as an ordinary test, so that what was found once stays fixed without a fuzzer.
/// Files called valid_* must be accepted, files called hostile_* refused.
inline void read_corpus(ReaderCheck check, const std::string& folder) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    const ReadOutcome outcome = check(bytes_in(entry.path()));
    EXPECT_EQ(outcome.defect, "");
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(outcome.accepted, name.starts_with("valid_")) << outcome.message;
    EXPECT_TRUE(outcome.accepted || name.starts_with("hostile_"));
    ++files;
  }
  EXPECT_GT(files, 0U);
}

}  // namespace jackdaw::tools
