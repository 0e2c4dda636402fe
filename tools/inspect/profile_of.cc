#include "tools/inspect/profile_of.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

#include "tools/command/input_error.h"
#include "tools/inspect/inspector.h"
#include "tools/inspect/running_process.h"

namespace jackdaw::tools {

namespace {

using Page = gc::InspectionPage;

// A file in memory, which the program writes without waiting for anybody.
class MemoryFile {
 public:
  MemoryFile() : number_(memfd_create("jackdaw-profile", MFD_CLOEXEC)) {
    if (number_ < 0) {
      throw InputError(
          fmt::format("there is no memory for the profile ({})", std::generic_category().message(errno)));
    }
  }
  ~MemoryFile() { close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] std::string contents() const {
    std::string contents;
    std::array<char, 1 << 16> some;
    ssize_t bytes = 0;
    while ((bytes = pread(number_, some.data(), some.size(), static_cast<off_t>(contents.size()))) > 0)
      contents.append(some.data(), static_cast<std::size_t>(bytes));
    return contents;
  }

 private:
  int number_;
};

void wait_while_running(pid_t process, std::chrono::duration<double> time) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::duration<double> kLook{0.1};
  const auto end = Clock::now() + time;
  for (auto left = time; left.count() > 0; left = end - Clock::now()) {
    if (!is_running(process))
      throw InputError(fmt::format("process {} has ended before its profile", process));
    std::this_thread::sleep_for(std::min(left, kLook));
  }
}

}  // namespace

std::string profile_of(pid_t process, const ProfileWish& wish) {
  const MemoryFile file;
  const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(wish.time).count();
  Inspector inspector(look_at(process), {.wish = Page::Wish::start_profile,
                                         .pipe = file.number(),
                                         .sample_every = wish.every,
                                         .profile_ns = static_cast<std::uint64_t>(time)});
  if (inspector.await_begin("begin the profile", wish.patience) == Page::State::failed) {
    throw InputError(fmt::format(
        "process {} has a profile already, by JACKDAW_PROFILE, GC_start_profile or another jackdaw profile",
        process));
  }
  wait_while_running(process, wish.time);
  inspector.ask_again(Page::Wish::end_profile);
  if (inspector.await_begin("write the profile", wish.patience) == Page::State::failed) {
    throw InputError(fmt::format(
        "process {} could not write the profile: it lacks memory, or began one of its own meanwhile",
        process));
  }
  return file.contents();
}

}  // namespace jackdaw::tools
