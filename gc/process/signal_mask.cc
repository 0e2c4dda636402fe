#include "gc/process/signal_mask.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "gc/process/cancellation.h"

namespace jackdaw::gc {

// The C library hands the mask on as it is.
sigset_t mask_of_all_signals() {
  sigset_t mask;
  sigemptyset(&mask);
  std::memcpy(&mask, &base::kAllSignals, sizeof base::kAllSignals);
  return mask;
}

std::optional<base::SignalBits> blocked_signals_of(pid_t thread) {
  const CancellationDisabled guard;
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/status", thread);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::array<char, 4096> text;
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  constexpr std::string_view kName = "SigBlk:\t";
  const std::string_view status(text.data(), static_cast<std::size_t>(length > 0 ? length : 0));
  const std::size_t place = status.find(kName);
  if (place == std::string_view::npos) return std::nullopt;
  base::SignalBits blocked = 0;
  std::from_chars(status.data() + place + kName.size(), status.data() + status.size(), blocked, 16);
  return blocked;
}

}  // namespace jackdaw::gc
