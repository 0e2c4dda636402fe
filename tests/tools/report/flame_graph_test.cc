// The flame graph: frames in their order, with the sums of what they called.
#include "tools/report/flame_graph.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace jackdaw::tools {
namespace {

using nlohmann::json;

// "name depth bytes/objects live/live objects" for each frame. Addresses that are in no file are names.
std::vector<std::string> frames_of(const ProfileFile& profile) {
  const json graph = flame_graph(profile);
  std::vector<std::string> frames;
  for (const json& frame : graph["frames"]) {
    const auto number = [&](const char* key) { return std::to_string(frame[key].get<std::uint64_t>()); };
    frames.push_back(graph["names"][frame["name"].get<std::size_t>()].get<std::string>() + " " +
                     number("depth") + " " + number("bytes") + "/" + number("objects") + " " +
                     number("live_bytes") + "/" + number("live_objects"));
  }
  return frames;
}

TEST(FlameGraph, MergesStacksFromTheirCallersOn) {
  const ProfileFile profile = {.mappings = {},
                               .samples = {{{0x11, 0x21}, 1, 10, 0, 0},
                                           {{0x12, 0x21}, 2, 20, 1, 10},
                                           {{0x11, 0x11, 0x21}, 3, 30, 3, 30},
                                           {{0x21}, 4, 100, 0, 0},
                                           {{0x31}, 5, 200, 5, 200},
                                           {{}, 6, 1, 0, 0}},
                               .every = 4096};
  EXPECT_EQ(frames_of(profile),
            (std::vector<std::string>{"all 0 361/21 240/9", "0x31 1 200/5 200/5", "0x21 1 160/10 40/4",
                                      "0x11 2 40/4 30/3", "0x11 3 30/3 30/3", "0x12 2 20/2 10/1"}));
  EXPECT_EQ(flame_graph(profile)["every_bytes"], 4096);
  EXPECT_EQ(frames_of({}), (std::vector<std::string>{"all 0 0/0 0/0"}));
}

TEST(FlameGraph, TakesStacksOfAnyDepth) {
  ProfileFile profile;
  profile.samples.push_back({std::vector<std::uint64_t>(200'000, 0x11), 1, 10, 0, 0});
  const std::vector<std::string> frames = frames_of(profile);
  ASSERT_EQ(frames.size(), 200'001U);
  EXPECT_EQ(frames.back(), "0x11 200000 10/1 0/0");
}

}  // namespace
}  // namespace jackdaw::tools
