// Progress: a progress line on standard error for work that a person waits for.
//
// The line appears only on a terminal and only once the command has run for more than two seconds. It is
// redrawn at most ten times a second and erased when the object is destroyed, so it never ends up in a log or
// between results. Invariant: nothing is ever written when the output is not interactive. One thread may use
// an object.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace jackdaw::tools {

/// The destination of a progress line and its clock. The defaults are what programs want.
struct ProgressOutput {
  int descriptor = STDERR_FILENO;
  bool interactive = isatty(STDERR_FILENO) == 1;
  std::chrono::steady_clock::time_point (*now)() = &std::chrono::steady_clock::now;
  std::chrono::steady_clock::time_point since = start_of_command();  ///< when somebody began to wait

 private:
  [[nodiscard]] static std::chrono::steady_clock::time_point start_of_command();
};

/// Shows the progress of a piece of work while it exists.
class Progress {
 public:
  /// `what` is the work, such as "reading heap.hprof". The work starts now, and is shown if it is time to.
  explicit Progress(std::string_view what, const ProgressOutput& output = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Returns true, seldom, when draw() should be called with new figures. For loops of a few nanoseconds a
  /// turn: mostly a decrement and a branch; the clock is read once in kCallsPerLook calls.
  [[nodiscard]] bool due() {
    if (--calls_until_look_ > 0) return false;
    calls_until_look_ = kCallsPerLook;
    return interactive_ && look_at_clock();
  }

  /// Draws the line: `done` of `total`, in any unit. A total of 0 is shown without a percentage.
  void draw(std::uint64_t done, std::uint64_t total);

  /// Calls draw() if it is due(), where `done` and `total` cost nothing to know.
  void update(std::uint64_t done, std::uint64_t total) {
    if (due()) draw(done, total);
  }

  /// Updates the line for steps of milliseconds and more: it reads the clock at every call.
  void step(std::uint64_t done, std::uint64_t total) {
    if (interactive_ && look_at_clock()) draw(done, total);
  }

  static constexpr int kCallsPerLook = 256;

 private:
  [[nodiscard]] bool look_at_clock();
  void write_out(std::string_view text) const;

  std::string what_;
  int descriptor_;
  bool interactive_;
  std::chrono::steady_clock::time_point (*now_)();
  std::chrono::steady_clock::time_point next_draw_;
  int calls_until_look_ = kCallsPerLook;
  bool drawn_ = false;
};

}  // namespace jackdaw::tools
