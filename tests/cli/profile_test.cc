// `jackdaw profile`: what it says of a program that allocates known amounts, and what it refuses.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/environment_variable.h"

namespace jackdaw::cli {
namespace {

void expect_refused(const std::string& contents, const std::string& complaint) {
  const TemporaryFolder folder;
  write_file(folder.file("profile"), contents);
  const Outcome outcome = run_jackdaw({"profile", folder.file("profile"), "--json", folder.file("json")});
  EXPECT_EQ(outcome.status, 2) << complaint;
  EXPECT_NE(outcome.err.find(complaint), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(folder.contents(), (std::vector<std::string>{"profile"}));
}

#ifdef JACKDAW_PROFILED_PROGRAM
std::string gunzipped(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string contents(std::size_t{1} << 20, '\0');
  const int bytes = gzread(file, contents.data(), static_cast<unsigned>(contents.size()));
  gzclose(file);
  contents.resize(static_cast<std::size_t>(std::max(bytes, 0)));
  return contents;
}

// Has a program, with arguments, write a profile to `path`.
void run_profiled(const std::string& path,
                  const std::vector<std::string>& words = {JACKDAW_PROFILED_PROGRAM}) {
  const Variable profile("JACKDAW_PROFILE", path + ",every=16k");
  ASSERT_EQ(run_program(words).status, 0);
}

// Checks what the table says of its first place.
void expect_hot_place(const nlohmann::json& hot) {
  EXPECT_EQ(hot["site"].get<std::string>().substr(0, 9), "hot_place") << hot;
  EXPECT_EQ(hot["caller"].get<std::string>().substr(0, 12), "allocate_all") << hot;
  // Some 15,000 samples, of objects of 4,096 bytes: five standard deviations.
  EXPECT_NEAR(hot["objects"].get<double>(), 60'000, 3000);
  EXPECT_NEAR(hot["bytes"].get<double>(), 60'000 * 4096.0, 3000 * 4096.0);
  EXPECT_NEAR(hot["live_bytes"].get<double>() / hot["bytes"].get<double>(), 0.25, 0.25 * 0.05 + 0.01);
}

// Runs a program, and checks what the table says of its first place.
void expect_hot_place_of(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  run_profiled(folder.file("profile"), words);
  const Outcome outcome = run_jackdaw({"profile", folder.file("profile"), "--json", folder.file("json")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  expect_hot_place(nlohmann::json::parse(read_file(folder.file("json")))["sites"][0]);
}

// The collector is told nothing of that stack, whose end it does not know.
TEST(ProfileCommand, NamesPlacesOnTheStackOfAFiber) {
  expect_hot_place_of({JACKDAW_PROFILED_PROGRAM, "fiber"});
}

TEST(ProfileCommand, NamesPlacesInTwoSegmentsOfAFile) {
  expect_hot_place_of({JACKDAW_PROFILED_APART_PROGRAM});
}

TEST(ProfileCommand, NamesPlacesInPartsOfASegment) {
  expect_hot_place_of({JACKDAW_PROFILED_PROGRAM, "divided"});
}

// Whether objects that the program drops are still there when it ends depends on frames that a sanitizer has.
TEST(ProfileCommand, NamesTheHotPlaceAndWhatOfItIsAlive) {
  const TemporaryFolder folder;
  const std::string path = folder.file("profile");
  run_profiled(path);
  const Outcome outcome = run_jackdaw({"profile", path, "--json", folder.file("json")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const nlohmann::json json = nlohmann::json::parse(read_file(folder.file("json")));
  EXPECT_EQ(json["every_bytes"], 16384);
  expect_hot_place(json["sites"][0]);
  EXPECT_NE(outcome.out.find("  hot_place"), std::string::npos) << outcome.out;

  // A compressed file gives the same figures.
  gzFile file = gzopen(folder.file("gz").c_str(), "wb");
  const std::string bytes = read_file(path);
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  EXPECT_EQ(run_jackdaw({"profile", folder.file("gz")}).out, outcome.out);
  // The profile with names has them in it, for readers that look into no other file.
  ASSERT_EQ(run_jackdaw({"profile", path, "--named", folder.file("named")}).status, 0);
  EXPECT_EQ(run_jackdaw({"profile", folder.file("named"), "--json", folder.file("again")}).status, 0);
  EXPECT_EQ(nlohmann::json::parse(read_file(folder.file("again")))["bytes"], json["bytes"]);
  const std::string named = gunzipped(folder.file("named"));
  for (const char* const name : {"hot_place", "main", "inuse_space"})
    EXPECT_NE(named.find(name), std::string::npos) << name;
  const Outcome one = run_jackdaw({"profile", path, "--live", "--most", "1"});
  EXPECT_NE(one.out.find("\nand "), std::string::npos) << one.out;
  for (const std::size_t length : {bytes.size() / 3, bytes.size() - 1})
    expect_refused(bytes.substr(0, length), "profile: ");
}
#endif

TEST(ProfileCommand, RefusesWhatIsNoProfile) {
  expect_refused("", "its values must be alloc_objects, alloc_space, inuse_objects and inuse_space");
  expect_refused("\x0d\x01\x02\x03", "no field of a profile");
  expect_refused("\x0a\x02\x0a\x05", "a field ends behind its message");
  expect_refused(std::string(12, '\xff'), "has more than 64 bits");
  const Outcome outcome = run_jackdaw({"profile", "/no/such/profile"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("/no/such/profile"), std::string::npos);
}

// A message's field that is a text or a message: shorter than 128 bytes.
std::string field(unsigned number, const std::string& contents) {
  return static_cast<char>(number << 3 | 2) + std::string(1, static_cast<char>(contents.size())) + contents;
}

// A pipe at a path that a profile names would keep its reader waiting for a writer.
TEST(ProfileCommand, OpensRegularFilesAlone) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string profile;
  for (const char type : {'\1', '\2', '\3', '\4'}) profile += field(1, std::string("\x08") + type);
  for (const std::string text : {"", "alloc_objects", "alloc_space", "inuse_objects", "inuse_space"})
    profile += field(6, text);
  profile += field(6, pipe);
  profile += field(3, "\x08\x01\x10\x10\x18\x20\x28\x05");  // number 1, from 16 to 32, text 5
  profile += field(4, "\x08\x01\x18\x11");                  // number 1, address 17
  profile += field(2, "\x08\x01\x10\x01\x10\x40\x10\x01\x10\x40");
  write_file(folder.file("profile"), profile);
  const Outcome outcome = run_jackdaw({"profile", folder.file("profile")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("  pipe + 0x"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace jackdaw::cli
