// profile_of(): has a running program take a profile of what it allocates.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace jackdaw::tools {

/// The profile that a program is to take.
struct ProfileWish {
  std::chrono::duration<double> time;  ///< for which samples are taken
  std::uint64_t every;                 ///< bytes between two samples, on average
  /// The time to wait, at the begin and at the end, for the program to allocate.
  std::chrono::duration<double> patience;
};

/// Waits for the profile and returns it, in pprof's format. Throws InputError.
std::string profile_of(pid_t process, const ProfileWish& wish);

}  // namespace jackdaw::tools
