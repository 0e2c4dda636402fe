// `jackdaw run`: which programs it runs on Jackdaw and which it refuses, how they end, and what --stats
// prints.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/environment_variable.h"

namespace jackdaw::cli {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

// Programs that do what their first argument says: see gc_program.c.
const std::string kProgram = JACKDAW_GC_PROGRAM;
const std::string kLibgc = JACKDAW_LIBGC;
const std::string kFolder = fs::path(kLibgc).parent_path();

Outcome run(Words words) {
  words.insert(words.begin(), "run");
  return run_jackdaw(words);
}

std::string executable_script(const TemporaryFolder& folder, const std::string& text) {
  std::string path = folder.file("script");
  write_file(path, text);
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

long lines_in(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(RunCommand, RunsTheProgramOnJackdaw) {
  const Outcome outcome = run({kProgram, "collector"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, kLibgc + "\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(RunCommand, FindsTheProgramInPath) {
  const fs::path program(kProgram);
  const Variable path("PATH", "/no/such:" + program.parent_path().string());
  const Outcome outcome = run({program.filename(), "collector"});
  EXPECT_EQ(outcome.out, kLibgc + "\n") << outcome.err;
}

TEST(RunCommand, LeavesTheProgramItsOptions) {
  const Words words = {"--stats", "--", "-x", "--version", "--help", ""};
  for (const Words& before :
       {Words{}, Words{"--"}, Words{"--markers", "2", "--"}, Words{"--markers=2", "--stats"}}) {
    Words all = before;
    all.insert(all.end(), {kProgram, "print"});
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "--stats\n--\n-x\n--version\n--help\n\n");
  }
}

TEST(RunCommand, GivesTheProgramsExitStatus) {
  for (const Words& options : {Words{}, Words{"--stats"}}) {
    for (const std::string status : {"0", "1", "2", "77", "255"}) {
      Words words = options;
      words.insert(words.end(), {kProgram, "exit", status});
      EXPECT_EQ(run(words).status, std::stoi(status));
    }
    Words words = options;
    words.insert(words.end(), {kProgram, "raise", std::to_string(SIGKILL)});
    EXPECT_EQ(run(words).status, 128 + SIGKILL);
  }
}

TEST(RunCommand, PassesASignalOnWhileItWaits) {
  const Outcome outcome = run({"--stats", kProgram, "end-parent"});
  EXPECT_EQ(outcome.status, 128 + SIGTERM);
  EXPECT_EQ(outcome.err, "jackdaw: no collections\n");
}

TEST(RunCommand, SaysHowManyMark) {
  EXPECT_EQ(run({"--markers", "3", kProgram, "markers"}).out, "3\n");
  EXPECT_EQ(run({"--markers", "1", kProgram, "markers"}).out, "1\n");
}

TEST(RunCommand, PutsItsFolderBeforeTheOthers) {
  // Whatever the tests were started with.
  const Variable none("LD_LIBRARY_PATH", "");
  {
    const Variable libraries("LD_LIBRARY_PATH", "/no/such:/nor/this");
    EXPECT_EQ(run({kProgram, "variable", "LD_LIBRARY_PATH"}).out, kFolder + ":/no/such:/nor/this\n");
  }
  EXPECT_EQ(run({kProgram, "variable", "LD_LIBRARY_PATH"}).out, kFolder + "\n");
}

TEST(RunCommand, SumsUpTheCollections) {
  const TemporaryFolder folder;
  const std::string log = folder.file("log");
  write_file(log, "jackdaw: collection=1 reason=request pause_ms=9999.000 heap_mib=9999.000\n");
  const Outcome outcome = run({"--stats", "--log", log, kProgram, "collect", "5"});
  EXPECT_EQ(outcome.status, 0);
  double all = 0, p50 = 0, p99 = 0, longest = 0, processor = 0, live = -1, heap = 0;
  int count = 0;
  ASSERT_EQ(
      std::sscanf(outcome.err.c_str(),
                  "jackdaw: collections: %d; pauses: %lf ms in all, p50 %lf ms, p99 %lf ms, max %lf ms\n"
                  "jackdaw: processor time of the collector: %lf ms\n"
                  "jackdaw: %lf MiB live after the last, peak heap %lf MiB\n",
                  &count, &all, &p50, &p99, &longest, &processor, &live, &heap),
      8)
      << outcome.err;
  EXPECT_EQ(lines_in(outcome.err), 3);

  // The log's lines on this run, without those on earlier runs.
  std::istringstream lines(read_file(log));
  std::string line;
  std::getline(lines, line);
  std::vector<double> pauses;
  double logged_live = 0, logged_heap = 0;
  while (std::getline(lines, line)) {
    double pause = 0;
    ASSERT_EQ(
        std::sscanf(
            line.c_str(),
            "jackdaw: collection=%*d reason=request pause_ms=%lf before_mib=%*f live_mib=%lf heap_mib=%lf",
            &pause, &logged_live, &logged_heap),
        3)
        << line;
    pauses.push_back(pause);
  }
  std::sort(pauses.begin(), pauses.end());
  ASSERT_EQ(pauses.size(), 5U);
  EXPECT_EQ(count, 5);
  EXPECT_NEAR(all, pauses[0] + pauses[1] + pauses[2] + pauses[3] + pauses[4], 0.0011);
  EXPECT_EQ(p50, pauses[2]);
  EXPECT_EQ(p99, pauses[4]);
  EXPECT_EQ(longest, pauses[4]);
  EXPECT_GT(processor, 0);
  EXPECT_EQ(live, logged_live);
  EXPECT_EQ(heap, logged_heap);
}

TEST(RunCommand, WritesALogThatJackdawLogReads) {
  const TemporaryFolder folder;
  const std::string log = folder.file("log");
  EXPECT_EQ(run({"--log", log, kProgram, "collect", "4"}).status, 0);
  EXPECT_EQ(lines_in(read_file(log)), 4);
  {
    const Variable json("JACKDAW_LOG", "json");
    EXPECT_NE(run({"--log", log, "--stats", kProgram, "collect", "3"}).err.find("collections: 3;"),
              std::string::npos);
  }
  EXPECT_EQ(lines_in(read_file(log)), 7);
  EXPECT_NE(read_file(log).find("\n{\"collection\":1,\"reason\":\"request\","), std::string::npos);
  const Outcome outcome = run_jackdaw({"log", log, "--json", folder.file("json")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string json = read_file(folder.file("json"));
  EXPECT_NE(json.find("\"collections\": 4"), std::string::npos) << json;
  EXPECT_NE(json.find("\"collections\": 3"), std::string::npos) << "another process: " << json;
  EXPECT_EQ(json.find("setting"), std::string::npos) << "too few for advice: " << json;
}

TEST(RunCommand, LeavesNoLogBehind) {
  const TemporaryFolder folder;
  const Variable temporary("TMPDIR", folder.file(""));
  EXPECT_EQ(lines_in(run({"--stats", kProgram, "collect", "1"}).err), 3);
  EXPECT_EQ(folder.contents(), Words{});
}

TEST(RunCommand, LogsWhereItWasStartedWhereverTheProgramWorks) {
  const TemporaryFolder folder;
  const std::string script = executable_script(folder, "#!/bin/sh\ncd / && exec \"$@\"\n");
  const fs::path here = fs::current_path();
  fs::current_path(folder.file(""));
  const Outcome outcome = run({"--log", "log", script, kProgram, "collect", "2"});
  fs::current_path(here);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines_in(read_file(folder.file("log"))), 2);
}

TEST(RunCommand, RunsScriptsAndSaysWhenItCannotKnow) {
  const TemporaryFolder folder;
  const std::string call = "exec " + kProgram + " collector\n";
  for (const std::string start : {"#!/bin/sh\n", "#! /bin/sh -e\n", "#!/usr/bin/env -S sh -e\n", ""}) {
    const Outcome outcome = run({executable_script(folder, start + call)});
    EXPECT_EQ(outcome.out, kLibgc + "\n") << start;
    EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("sh, which does not use libgc"), std::string::npos) << outcome.err;
  }
  // A script for a program that uses libgc is no question.
  const Outcome outcome = run({executable_script(folder, "#!" + kProgram + " print\n"), "-x"});
  EXPECT_EQ(outcome.out, folder.file("script") + "\n-x\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(RunCommand, ForceRunsWhatStartsAProgramOnJackdaw) {
  const Outcome outcome = run({"--force", "env", kProgram, "collector"});
  EXPECT_EQ(outcome.out, kLibgc + "\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(RunCommand, FindsTheLibrariesOfItsInstallation) {
  const TemporaryFolder folder;
  const fs::path prefix = folder.file("prefix");
  const fs::path libraries = (prefix / "bin" / JACKDAW_LIBGC_FROM_BIN).lexically_normal();
  fs::create_directories(prefix / "bin");
  fs::create_directories(libraries);
  fs::copy_file(JACKDAW_TEST_BINARY, prefix / "bin" / "jackdaw");
  const Words words = {prefix / "bin" / "jackdaw", "run", kProgram, "collector"};
  EXPECT_EQ(run_program(words).status, 2) << "without any";
  fs::copy_file(kLibgc, libraries / "libgc.so.1");
  EXPECT_EQ(run_program(words).out, (fs::canonical(libraries) / "libgc.so.1").string() + "\n");
}

TEST(RunCommand, TakesTheFolderThatTheEnvironmentNames) {
  const TemporaryFolder folder;
  const Variable named("JACKDAW_LIBGC_FOLDER", folder.file(""));
  EXPECT_EQ(run({kProgram, "collector"}).status, 2) << "an empty one";
  fs::copy_file(kLibgc, folder.file("libgc.so.1"));
  EXPECT_EQ(run({kProgram, "collector"}).out, fs::canonical(folder.file("libgc.so.1")).string() + "\n");
}

// Words that it has to refuse, and what it has to say about them.
struct Refusal {
  Words words;
  std::string reason;
};

void expect_refusal(const Refusal& refusal) {
  const Outcome outcome = run(refusal.words);
  EXPECT_EQ(outcome.status, 2) << refusal.reason;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(refusal.reason), std::string::npos) << outcome.err;
}

TEST(RunCommand, RefusesProgramsThatWouldNotBeOnJackdaw) {
  expect_refusal({{"true"}, "does not use libgc"});
  expect_refusal({{JACKDAW_STATIC_GC_PROGRAM, "exit", "0"}, "has libgc linked into it statically"});
  expect_refusal({{JACKDAW_RPATH_GC_PROGRAM, "exit", "0"}, "DT_RPATH"});
}

TEST(RunCommand, RefusesBadInput) {
  const TemporaryFolder folder;
  expect_refusal({{}, "a PROGRAM is missing"});
  expect_refusal({{"--"}, "a PROGRAM is missing"});
  expect_refusal({{"--stats"}, "a PROGRAM is missing"});
  expect_refusal({{"no-such-program"}, "there is no program 'no-such-program'"});
  expect_refusal({{folder.file("none")}, "no program that can be executed"});
  expect_refusal({{folder.file("")}, "no program that can be executed"});
  expect_refusal({{"--frobnicate", kProgram}, "--frobnicate"});
  expect_refusal({{"--markers", "0", kProgram}, "--markers"});
  expect_refusal({{"--markers", "65", kProgram}, "--markers"});
  expect_refusal({{"--markers"}, "--markers"});
  expect_refusal({{"--log", "/no/such", kProgram}, "/no/such"});
  write_file(folder.file("plain"), "text");
  expect_refusal({{folder.file("plain")}, "no program that can be executed"});
}

TEST(RunCommand, RefusesAProgramThatGetsMoreRights) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to make a file somebody else's";
  const TemporaryFolder folder;
  const std::string copy = folder.file("program");
  fs::copy_file(kProgram, copy);
  constexpr uid_t kSomebody = 65534;
  ASSERT_EQ(chown(copy.c_str(), kSomebody, kSomebody), 0);
  ASSERT_EQ(chmod(copy.c_str(), 04755), 0);
  expect_refusal({{copy, "exit", "0"}, "more rights"});
}

}  // namespace
}  // namespace jackdaw::cli
