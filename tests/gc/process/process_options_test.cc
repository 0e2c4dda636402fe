// ProcessOptions: each variable of the environment, under each of its names, and what a bad value gets.
#include "gc/process/process_options.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "tests/environment_variable.h"

namespace jackdaw::gc {
namespace {

// The options, and what is said on the error output while they are read.
struct Reading {
  ProcessOptions options;
  std::string complaint;
};

Reading read_environment() {
  testing::internal::CaptureStderr();
  ProcessOptions options = options_from_environment();
  return {std::move(options), testing::internal::GetCapturedStderr()};
}

std::string line_about(const char* name, const std::string& value, const std::string& demand) {
  std::string line = "jackdaw: ";
  return line.append(name).append("='").append(value).append("': ").append(demand).append("\n");
}

TEST(ProcessOptions, AreTheDefaultsInAnEmptyEnvironment) {
  const auto [options, complaint] = read_environment();
  EXPECT_EQ(complaint, "");
  EXPECT_EQ(options.marking.engine.threads, default_options().marking.engine.threads);
  EXPECT_GE(options.marking.engine.threads, 1U);
  EXPECT_LE(options.marking.engine.threads, 64U);
  EXPECT_EQ(options.heap_limit_bytes, std::numeric_limits<std::size_t>::max());
  EXPECT_FALSE(options.starts_disabled);
  EXPECT_TRUE(options.all_interior_pointers);
  EXPECT_FALSE(options.log_collections);
  EXPECT_EQ(options.marks_concurrently, MarksConcurrently::by_default);
  EXPECT_EQ(options.pause_target, std::chrono::milliseconds(5));
}

TEST(ProcessOptions, NumbersAreRead) {
  const Variable markers("JACKDAW_MARKERS", "3");
  const Variable budget("JACKDAW_MINIMUM_BUDGET", "12345");
  const Variable divisor("JACKDAW_FREE_SPACE_DIVISOR", "4");
  const Variable stop("JACKDAW_STOP_SECONDS", "0");
  const Variable pause("JACKDAW_PAUSE_MS", "10000");
  const auto [options, complaint] = read_environment();
  EXPECT_EQ(complaint, "");
  EXPECT_EQ(options.marking.engine.threads, 3U);
  EXPECT_EQ(options.growth.minimum_budget_bytes, 12345U);
  EXPECT_EQ(options.growth.free_space_divisor, 4U);
  EXPECT_EQ(options.stop_patience, std::chrono::seconds(0));
  EXPECT_EQ(options.pause_target, std::chrono::seconds(10));
}

TEST(ProcessOptions, SizesMayHaveASuffix) {
  const Variable budget("JACKDAW_MINIMUM_BUDGET", "5k");
  const Variable initial("JACKDAW_INITIAL_HEAP_SIZE", "6M");
  const Variable limit("JACKDAW_MAXIMUM_HEAP_SIZE", "7g");
  const auto [options, complaint] = read_environment();
  EXPECT_EQ(complaint, "");
  EXPECT_EQ(options.growth.minimum_budget_bytes, std::size_t{5} << 10);
  EXPECT_EQ(options.growth.minimum_heap_bytes, std::size_t{6} << 20);
  EXPECT_EQ(options.heap_limit_bytes, std::size_t{7} << 30);
}

TEST(ProcessOptions, AProfileHasAFileAndPerhapsAnInterval) {
  const auto read = [](const char* text) {
    const Variable profile("JACKDAW_PROFILE", text);
    return read_environment();
  };
  EXPECT_EQ(read("a,b.pb").options.profile_path, "a,b.pb");
  EXPECT_EQ(read("a.pb").options.profile_every, std::uint64_t{512} << 10);
  const auto [options, complaint] = read("a.pb,every=64k");
  EXPECT_EQ(complaint, "");
  EXPECT_EQ(options.profile_path, "a.pb");
  EXPECT_EQ(options.profile_every, std::uint64_t{64} << 10);
  for (const char* const bad : {"", "a.pb,every=", "a.pb,every=0", ",every=64k"}) {
    EXPECT_EQ(read(bad).options.profile_path, "") << bad;
    EXPECT_EQ(
        read(bad).complaint,
        line_about("JACKDAW_PROFILE", bad,
                   "must be a path, perhaps with ,every= and a number of bytes such as 512k; using none"));
  }
}

TEST(ProcessOptions, TheInitialHeapIsAtMostTheLargest) {
  const Variable initial("GC_INITIAL_HEAP_SIZE", "6m");
  const Variable limit("GC_MAXIMUM_HEAP_SIZE", "5m");
  EXPECT_EQ(options_from_environment().growth.minimum_heap_bytes, std::size_t{5} << 20);
}

TEST(ProcessOptions, LibgcsNamesAreKnown) {
  const Variable markers("GC_MARKERS", "5");
  const Variable divisor("GC_FREE_SPACE_DIVISOR", "2");
  const Variable log("GC_PRINT_STATS", "");
  const Variable file("GC_LOG_FILE", "/a/path");
  const Variable disabled("GC_DONT_GC", "");
  const Variable pause("GC_PAUSE_TIME_TARGET", "0");
  const auto [options, complaint] = read_environment();
  EXPECT_EQ(complaint, "");
  EXPECT_EQ(options.marking.engine.threads, 5U);
  EXPECT_EQ(options.growth.free_space_divisor, 2U);
  EXPECT_TRUE(options.log_collections);
  EXPECT_EQ(options.log_path, "/a/path");
  EXPECT_TRUE(options.starts_disabled);
  EXPECT_EQ(options.pause_target, std::chrono::milliseconds(0));
}

TEST(ProcessOptions, OurNameWins) {
  const Variable ours("JACKDAW_MARKERS", "2");
  const Variable theirs("GC_MARKERS", "5");
  const Variable theirs_too("GC_NPROCS", "6");
  EXPECT_EQ(options_from_environment().marking.engine.threads, 2U);
}

TEST(ProcessOptions, ASwitchIsOnWhenItIsSetUnlessToZero) {
  const Variable interior("JACKDAW_ALL_INTERIOR_POINTERS", "0");
  const Variable log("JACKDAW_LOG", "1");
  const Variable stats("GC_PRINT_STATS", "0");
  const Variable disabled("JACKDAW_DONT_GC", "0");
  const ProcessOptions options = options_from_environment();
  EXPECT_FALSE(options.all_interior_pointers);
  EXPECT_TRUE(options.log_collections);
  EXPECT_EQ(options.log_spelling, LogSpelling::words);
  EXPECT_FALSE(options.starts_disabled);
}

TEST(ProcessOptions, MarkingWhileTheProgramRunsHasTwoNamesInLibgc) {
  const auto marks_concurrently = [] {
    const auto [options, complaint] = read_environment();
    EXPECT_EQ(complaint, "");
    return options.marks_concurrently;
  };
  for (const auto& [value, disabled, enabled] :
       {std::tuple("", MarksConcurrently::never, MarksConcurrently::always),
        std::tuple("1", MarksConcurrently::never, MarksConcurrently::always),
        std::tuple("0", MarksConcurrently::by_default, MarksConcurrently::by_default)}) {
    {
      const Variable disable("GC_DISABLE_INCREMENTAL", value);
      EXPECT_EQ(marks_concurrently(), disabled) << value;
    }
    const Variable enable("GC_ENABLE_INCREMENTAL", value);
    EXPECT_EQ(marks_concurrently(), enabled) << value;
  }
  const Variable disable("GC_DISABLE_INCREMENTAL", "1");
  {
    const Variable enable("GC_ENABLE_INCREMENTAL", "0");
    EXPECT_EQ(marks_concurrently(), MarksConcurrently::never);
    const Variable ours("JACKDAW_CONCURRENT", "1");
    EXPECT_EQ(marks_concurrently(), MarksConcurrently::always);
  }
  const Variable enable("GC_ENABLE_INCREMENTAL", "1");
  EXPECT_EQ(marks_concurrently(), MarksConcurrently::always) << "as in libgc";
  const Variable ours("JACKDAW_CONCURRENT", "0");
  EXPECT_EQ(marks_concurrently(), MarksConcurrently::never);
}

TEST(ProcessOptions, TheLogMayBeJson) {
  const Variable log("JACKDAW_LOG", "json");
  const auto [options, complaint] = read_environment();
  EXPECT_EQ(complaint, "");
  EXPECT_TRUE(options.log_collections);
  EXPECT_EQ(options.log_spelling, LogSpelling::json);
}

TEST(ProcessOptions, ABadLogGetsALineAndWhatLibgcsNamesSay) {
  for (const std::string bad : {"", "JSON", "2", "text"}) {
    const Variable log("JACKDAW_LOG", bad.c_str());
    const auto [options, complaint] = read_environment();
    EXPECT_EQ(complaint, line_about("JACKDAW_LOG", bad, "must be 0, 1 or json; using 0"));
    EXPECT_FALSE(options.log_collections);
    const Variable stats("GC_PRINT_STATS", "");
    EXPECT_TRUE(options_from_environment().log_collections);
  }
}

TEST(ProcessOptions, ABadNumberGetsALineAndTheDefault) {
  const std::string demand =
      "must be a number from 1 to 64; using " + std::to_string(default_options().marking.engine.threads);
  for (const std::string bad : {"x", "", "0", "65", "-1", "2x", "99999999999999999999999"}) {
    const Variable markers("JACKDAW_MARKERS", bad.c_str());
    const auto [options, complaint] = read_environment();
    EXPECT_EQ(complaint, line_about("JACKDAW_MARKERS", bad, demand));
    EXPECT_EQ(options.marking.engine.threads, default_options().marking.engine.threads);
  }
}

TEST(ProcessOptions, ABadTimeGetsALineAndTheDefault) {
  for (const std::string bad : {"", "1s", "86401", "-1"}) {
    const Variable stop("JACKDAW_STOP_SECONDS", bad.c_str());
    const auto [options, complaint] = read_environment();
    EXPECT_EQ(complaint,
              line_about("JACKDAW_STOP_SECONDS", bad, "must be a number from 0 to 86400; using 15"));
    EXPECT_EQ(options.stop_patience, std::chrono::seconds(15));
  }
  for (const std::string bad : {"", "3ms", "-1", "10001"}) {
    const Variable pause("GC_PAUSE_TIME_TARGET", bad.c_str());
    const auto [options, complaint] = read_environment();
    EXPECT_EQ(complaint,
              line_about("GC_PAUSE_TIME_TARGET", bad, "must be a number from 0 to 10000; using 5"));
    EXPECT_EQ(options.pause_target, std::chrono::milliseconds(5));
  }
}

TEST(ProcessOptions, ABadSizeGetsALineAndTheDefault) {
  const std::string demand = "must be a number of bytes, at least 1, perhaps with k, m or g; using no limit";
  for (const std::string bad : {"x", "", "0", "5t", "5kk", "-5", "k", "18446744073709551615k"}) {
    const Variable limit("GC_MAXIMUM_HEAP_SIZE", bad.c_str());
    const auto [options, complaint] = read_environment();
    EXPECT_EQ(complaint, line_about("GC_MAXIMUM_HEAP_SIZE", bad, demand));
    EXPECT_EQ(options.heap_limit_bytes, std::numeric_limits<std::size_t>::max());
  }
}

TEST(ProcessOptions, TheMemoryThatIsLeftMayBeIgnored) {
  EXPECT_TRUE(options_from_environment().fits_memory);
  for (const auto& [value, fits] : {std::pair("none", false), std::pair("auto", true)}) {
    const Variable limit("JACKDAW_MEMORY_LIMIT", value);
    const auto [options, complaint] = read_environment();
    EXPECT_EQ(complaint, "");
    EXPECT_EQ(options.fits_memory, fits);
  }
}

TEST(ProcessOptions, TheMemoryThatIsLeftIsSharedInBytesOrInPercent) {
  {
    const Variable limit("JACKDAW_MEMORY_LIMIT", "240m");
    EXPECT_EQ(options_from_environment().memory_share.process_bytes, std::uint64_t{240} << 20);
    EXPECT_EQ(options_from_environment().memory_share.percent, 100U);
  }
  {
    const Variable limit("JACKDAW_MEMORY_LIMIT", "75%");
    EXPECT_EQ(options_from_environment().memory_share.percent, 75U);
  }
  for (const std::string bad : {"0%", "101%", "%", "1.5%", "0", "some"}) {
    const Variable limit("JACKDAW_MEMORY_LIMIT", bad.c_str());
    const auto [options, complaint] = read_environment();
    EXPECT_EQ(
        complaint,
        line_about("JACKDAW_MEMORY_LIMIT", bad,
                   "must be auto, a number of bytes (perhaps with k, m or g), a percentage such as 75%, "
                   "or none; using auto"));
    EXPECT_TRUE(options.fits_memory);
    EXPECT_EQ(options.memory_share.percent, 100U);
  }
}

TEST(ProcessOptions, BytesPerFinalizerMayBeNone) {
  for (const auto& [value, bytes] : {std::pair("0", 0U), std::pair("500", 500U), std::pair("2k", 2048U)}) {
    const Variable variable("JACKDAW_BYTES_PER_FINALIZER", value);
    const auto [options, complaint] = read_environment();
    EXPECT_EQ(complaint, "");
    EXPECT_EQ(options.growth.bytes_per_finalizer, bytes);
  }
  const Variable bad("JACKDAW_BYTES_PER_FINALIZER", "some");
  EXPECT_EQ(read_environment().complaint,
            line_about("JACKDAW_BYTES_PER_FINALIZER", "some",
                       "must be a number of bytes, perhaps with k, m or g; using 10000"));
}

TEST(ProcessOptions, HugePagesAreChosen) {
  for (const auto& [value, use] :
       {std::pair("auto", heap::HugePageUse::automatic), std::pair("always", heap::HugePageUse::always),
        std::pair("never", heap::HugePageUse::never)}) {
    const Variable variable("JACKDAW_HUGE_PAGES", value);
    const auto [options, complaint] = read_environment();
    EXPECT_EQ(complaint, "");
    EXPECT_EQ(options.huge_pages, use);
  }
  const Variable bad("JACKDAW_HUGE_PAGES", "1");
  EXPECT_EQ(read_environment().complaint,
            line_about("JACKDAW_HUGE_PAGES", "1", "must be auto, always or never; using auto"));
}

TEST(ProcessOptions, PlacesAreNamed) {
  const Variable binding("JACKDAW_BIND", "core");
  const Variable memory("JACKDAW_MEMORY", "node:0");
  const auto [options, complaint] = read_environment();
  EXPECT_EQ(complaint, "");
  EXPECT_EQ(options.marking.binding, machine::Binding::core);
  EXPECT_EQ(to_string(options.memory), "node:0");
}

TEST(ProcessOptions, ABadPlaceGetsALineAndTheDefault) {
  for (const std::string bad : {"", "cores", "node:"}) {
    const Variable binding("JACKDAW_BIND", bad.c_str());
    const auto [options, complaint] = read_environment();
    EXPECT_EQ(complaint, line_about("JACKDAW_BIND", bad, "must be auto, none, node or core; using auto"));
    EXPECT_EQ(options.marking.binding, machine::Binding::automatic);
  }
  for (const std::string bad : {"", "near", "node", "node:", "node:x", "node:0x", "node:4000000000"}) {
    const Variable memory("JACKDAW_MEMORY", bad.c_str());
    const auto [options, complaint] = read_environment();
    EXPECT_EQ(complaint,
              line_about("JACKDAW_MEMORY", bad,
                         "must be auto, system, local, interleave or node:K, K being a memory node "
                         "that is there; using auto"));
    EXPECT_EQ(to_string(options.memory), "auto");
  }
}

TEST(ProcessOptions, AnUnknownNameGetsALineWithTheNearest) {
  for (const auto& [name, nearest] :
       {std::pair("JACKDAW_MARKER", "JACKDAW_MARKERS"), std::pair("JACKDAW_LOGFILE", "JACKDAW_LOG_FILE"),
        std::pair("JACKDAW_PAUSES", "JACKDAW_PAUSE_MS"), std::pair("JACKDAW_", "JACKDAW_LOG")}) {
    const Variable unknown(name, "1");
    EXPECT_EQ(read_environment().complaint, "jackdaw: the variable " + std::string(name) +
                                                " is not known, and is ignored; perhaps " + nearest +
                                                " is meant\n");
  }
  const Variable far("JACKDAW_WHATEVER_THIS_MAY_BE", "");
  EXPECT_EQ(read_environment().complaint,
            "jackdaw: the variable JACKDAW_WHATEVER_THIS_MAY_BE is not known, and is ignored\n");
}

TEST(ProcessOptions, NamesOfOthersAreLeftToThem) {
  const Variable folder("JACKDAW_LIBGC_FOLDER", "/a/path");
  const Variable other("JACKDAWS", "1");
  const Variable theirs("GC_UNKNOWN", "1");
  EXPECT_EQ(read_environment().complaint, "");
}

TEST(ProcessOptions, AVariableThatHasNoEffectAloneGetsALine) {
  {
    const Variable file("JACKDAW_LOG_FILE", "/a/path");
    EXPECT_EQ(read_environment().complaint,
              "jackdaw: JACKDAW_LOG_FILE is set, but JACKDAW_LOG is not, which must be 1 or json; it has no "
              "effect\n");
    const Variable stats("GC_PRINT_STATS", "");
    EXPECT_EQ(read_environment().complaint, "");
  }
  {
    const Variable file("JACKDAW_LOG_FILE", "/a/path");
    const Variable log("JACKDAW_LOG", "0");
    EXPECT_EQ(read_environment().complaint, "");
  }
  const Variable signal("JACKDAW_DUMP_SIGNAL", "USR2");
  EXPECT_EQ(read_environment().complaint,
            "jackdaw: JACKDAW_DUMP_SIGNAL is set, but JACKDAW_DUMP is not, which must be a path; it has no "
            "effect\n");
  const Variable dump("JACKDAW_DUMP", "/a/path");
  EXPECT_EQ(read_environment().complaint, "");
}

}  // namespace
}  // namespace jackdaw::gc
