// Lines of a collection log: what is written is read back, in both spellings; what is wrong is refused, and
// where it is.
#include "tools/log/log_line.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/refusal.h"
#include "tools/command/input_error.h"

namespace jackdaw::tools {
namespace {

using gc::LogSpelling;

constexpr gc::CollectionRecord kRecord{
    .number = 12,
    .reason = gc::CollectionReason::out_of_memory,
    .pause = std::chrono::microseconds(3214),
    .used_bytes_before = 64 << 20,
    .live_bytes = (31 << 20) + (1 << 18),
    .heap_bytes = 96 << 20,
    .mark_threads = 2,
    .steal_percent = 1.042,
    .stopped_threads = 5,
    .concurrent = gc::ConcurrentRecord{.first_pause = std::chrono::microseconds(1500),
                                       .marking = std::chrono::milliseconds(70),
                                       .stops = 3,
                                       .longest_stop = std::chrono::microseconds(99),
                                       .rounds = 4,
                                       .written_bytes = 1 << 19},
    .markers = 8,
    .at = std::chrono::microseconds(12'345'010),
    .process = 4321};

// Without its end.
std::string line_of(const gc::CollectionRecord& record, LogSpelling spelling) {
  std::array<char, gc::kLongestLogLine> buffer;
  std::string line(format_record(record, spelling, buffer));
  line.pop_back();
  return line;
}

std::string refusal_of(const std::string& line) {
  return message_of<InputError>([&] { return read_log_line(line); });
}

std::string with(std::string line, const std::string& part, const std::string& other) {
  return line.replace(line.find(part), part.size(), other);
}

class LogLine : public testing::TestWithParam<LogSpelling> {};
INSTANTIATE_TEST_SUITE_P(Spellings, LogLine, testing::Values(LogSpelling::words, LogSpelling::json));

TEST_P(LogLine, IsReadBack) {
  gc::CollectionRecord record = read_log_line(line_of(kRecord, GetParam()));
  EXPECT_EQ(record.reason, kRecord.reason);
  EXPECT_EQ(record.pause, kRecord.pause);
  EXPECT_EQ(record.used_bytes_before, kRecord.used_bytes_before);
  EXPECT_EQ(record.concurrent->written_bytes, kRecord.concurrent->written_bytes);
  EXPECT_EQ(record.process, kRecord.process);
  EXPECT_EQ(line_of(record, LogSpelling::words), line_of(kRecord, LogSpelling::words));
  record.concurrent.reset();
  EXPECT_FALSE(read_log_line(line_of(record, GetParam())).concurrent);
}

TEST_P(LogLine, LacksNoField) {
  const std::string line = line_of(kRecord, GetParam());
  for (const std::string name :
       {"collection", "reason", "pause_ms", "before_mib", "live_mib", "heap_mib", "mark_threads",
        "stolen_percent", "stopped_threads", "markers", "at_ms", "pid", "first_pause_ms", "stops",
        "longest_stop_ms", "rounds", "written_mib"}) {
    const std::string before = GetParam() == LogSpelling::json ? "\"" : " ";
    EXPECT_EQ(refusal_of(with(line, before + name, before + "x")), "'" + name + "' is missing");
  }
}

TEST_P(LogLine, MayHaveMoreFields) {
  const bool is_json = GetParam() == LogSpelling::json;
  EXPECT_EQ(read_log_line(with(line_of(kRecord, GetParam()),
                               is_json ? "}" : "pid=", is_json ? R"(,"new":"text"})" : "new=text pid="))
                .process,
            kRecord.process);
}

TEST_P(LogLine, CutShortIsRefused) {
  const std::string line = line_of(kRecord, GetParam());
  const std::size_t end = line.find(GetParam() == LogSpelling::json ? "}" : "4321");
  for (std::size_t length = 0; length <= end; ++length)
    EXPECT_NE(refusal_of(line.substr(0, length)), "accepted") << length;
}

TEST(LogLines, WrongValuesAreRefused) {
  const std::string line = line_of(kRecord, LogSpelling::words);
  for (const std::string bad : {"", "x", "-1", "1.5", "1x", "18446744073709551616"})
    EXPECT_EQ(refusal_of(with(line, "collection=12", "collection=" + bad)), "'collection' must be a number");
  for (const std::string bad : {"-0.001", "nan", "inf", "1e13"})
    EXPECT_EQ(refusal_of(with(line, "pause_ms=3.214", "pause_ms=" + bad)),
              "'pause_ms' must be a number from 0 to 9e12");
  EXPECT_EQ(refusal_of(with(line, "out-of-memory", "boredom")),
            "'reason' must be allocation, finalizers, out-of-memory, memory-pressure or request");
}

TEST(LogLines, OtherTextIsRefused) {
  const std::string expected =
      "no line of a collection log; expected 'jackdaw: collection=...' or {\"collection\":...}";
  for (const std::string line : {"", "text", "jackdaw: no collections", "{", "{]", "[]", "{\"a\":[]}",
                                 "{\"a\":{}}", "{\"a\":\"\xff\"}"})
    EXPECT_EQ(refusal_of(line), expected) << line;
  EXPECT_EQ(refusal_of("{" + std::string(100'000, '[')), expected);
  EXPECT_EQ(refusal_of("{\"a\":" + std::string(100'000, '[')), expected);
}

class LogFile : public testing::Test {
 protected:
  LogFile() : path_(testing::TempDir() + "log_line_test_" + std::to_string(getpid())) {}
  void TearDown() override { std::remove(path_.c_str()); }

  [[nodiscard]] std::string refusal_of(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return message_of<InputError>([&] { return read_log(path_); });
  }

  const std::string path_;
  const std::string line_ = line_of(kRecord, LogSpelling::words) + "\n";
};

TEST_F(LogFile, MayMixTheSpellings) {
  std::ofstream(path_) << line_ << line_of(kRecord, LogSpelling::json) << '\n' << line_;
  EXPECT_EQ(read_log(path_).size(), 3U);
}

TEST_F(LogFile, MayLackTheLastEnd) {
  std::ofstream(path_) << line_ << line_of(kRecord, LogSpelling::json);
  EXPECT_EQ(read_log(path_).size(), 2U);
}

TEST_F(LogFile, MayHaveOtherLinesOfTheProgram) {
  std::ofstream(path_) << "Loading...\n\n"
                       << line_ << std::string(100'000, 'x') << '\n'
                       << "no end here " << line_ << "{\n";
  EXPECT_EQ(read_log(path_).size(), 2U);
}

TEST_F(LogFile, MayEndInTheMidstOfALine) {
  for (const LogSpelling spelling : {LogSpelling::words, LogSpelling::json}) {
    const std::string last = line_of(kRecord, spelling);
    std::ofstream(path_) << line_ << last.substr(0, last.size() / 2);
    EXPECT_EQ(read_log(path_).size(), 1U) << last;
  }
}

TEST_F(LogFile, NamesTheWrongLine) {
  EXPECT_EQ(refusal_of(line_ + "text\n" + with(line_, "pid=", "x=")), path_ + ":3: 'pid' is missing");
  EXPECT_NE(refusal_of(with(line_, "\n", std::string("\0x\n", 3))), "accepted");
}

TEST_F(LogFile, HasToBeThereAndToHaveLines) {
  EXPECT_EQ(refusal_of(""),
            path_ + ": has no line of a collection; name the log of a program that collected");
  EXPECT_EQ(refusal_of("text\n"),
            path_ + ": has no line of a collection; name the log of a program that collected");
  EXPECT_THROW((void)read_log(path_ + ".not"), InputError);
  EXPECT_THROW((void)read_log(testing::TempDir()), InputError);
}

}  // namespace
}  // namespace jackdaw::tools
