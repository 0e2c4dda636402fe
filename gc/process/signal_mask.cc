#include "gc/process/signal_mask.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <system_error>

#include "gc/process/cancellation.h"

namespace jackdaw::gc {

// The C library hands the mask on as it is.
sigset_t mask_of_all_signals() {
  sigset_t mask;
  sigemptyset(&mask);
  std::memcpy(&mask, &base::kAllSignals, sizeof base::kAllSignals);
  return mask;
}

namespace {

// What follows the name, at the beginning of a line of the status.
std::optional<std::string_view> find_value(std::string_view status, std::string_view name) {
  const std::size_t place = status.find(name);
  if (place == std::string_view::npos) return std::nullopt;
  return status.substr(place + name.size());
}

std::optional<base::SignalBits> find_signals(std::string_view status, std::string_view name) {
  const std::optional<std::string_view> digits = find_value(status, name);
  base::SignalBits signals = 0;
  constexpr int kHexadecimal = 16;
  if (!digits || std::from_chars(digits->data(), digits->data() + digits->size(), signals, kHexadecimal).ec !=
                     std::errc{})
    return std::nullopt;
  return signals;
}

}  // namespace

std::optional<ThreadSignals> signals_of(pid_t thread) {
  const CancellationDisabled guard;
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/status", thread);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::array<char, 4096> text;
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  const std::string_view status(text.data(), static_cast<std::size_t>(length > 0 ? length : 0));
  const std::optional<std::string_view> state = find_value(status, "\nState:\t");
  const std::optional<base::SignalBits> pending = find_signals(status, "\nSigPnd:\t");
  const std::optional<base::SignalBits> blocked = find_signals(status, "\nSigBlk:\t");
  if (!state || !pending || !blocked) return std::nullopt;
  return ThreadSignals{*blocked, *pending, state->starts_with('t')};
}

}  // namespace jackdaw::gc
