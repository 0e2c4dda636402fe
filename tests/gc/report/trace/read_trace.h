// A trace as it was written, read by another library.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace jackdaw::gc {

class ReadTrace {
 public:
  using Event = nlohmann::json;

  /// Expects a whole JSON array.
  explicit ReadTrace(const std::string& path) {
    std::ifstream file(path);
    events_ = nlohmann::json::parse(file, nullptr, false);
    EXPECT_TRUE(events_.is_array()) << path;
  }

  /// The events of a kind (their "ph") with that name, in order.
  [[nodiscard]] std::vector<Event> events(std::string_view kind, std::string_view name) const {
    std::vector<Event> found;
    for (const Event& event : events_) {
      if (event["ph"] == kind && event["name"] == name) found.push_back(event);
    }
    return found;
  }
  [[nodiscard]] std::size_t count(std::string_view kind, std::string_view name) const {
    return events(kind, name).size();
  }

  /// On each track time goes on, and phases lie within one another; those of mark workers and of stopped
  /// threads follow upon one another. All phases have ended.
  void expect_in_order() const {
    std::map<std::string, Track> tracks;
    for (const Event& event : events_) {
      const std::string kind = event["ph"];
      if (kind == "M") continue;
      Track& track = tracks[kind == "C" ? event["name"].dump() : event["tid"].dump()];
      const double start = event["ts"];
      EXPECT_GE(start, track.reached - kRounding) << event;
      track.reached = start + (kind == "X" ? static_cast<double>(event["dur"]) : 0);
      if (kind == "B") track.open.push_back(event["name"]);
      if (kind != "E") continue;
      ASSERT_FALSE(track.open.empty()) << event;
      EXPECT_EQ(track.open.back(), event["name"]);
      track.open.pop_back();
    }
    for (const auto& [name, track] : tracks) EXPECT_TRUE(track.open.empty()) << name;
  }

 private:
  struct Track {
    double reached = 0;
    std::vector<std::string> open;
  };

  // Times are microseconds with three decimals.
  static constexpr double kRounding = 0.0005;

  nlohmann::json events_;
};

}  // namespace jackdaw::gc
