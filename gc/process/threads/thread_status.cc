#include "gc/process/threads/thread_status.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string_view>
#include <system_error>

#include "base/cancellation.h"

namespace jackdaw::gc {

namespace {

// Returns the file's text, as far as there is room for it; empty when it cannot be read.
std::string_view read_file_of(pid_t thread, const char* name, std::span<char> room) {
  const base::CancellationDisabled guard;
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/%s", thread, name);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t length = read(file, room.data(), room.size());
  close(file);
  return {room.data(), static_cast<std::size_t>(length > 0 ? length : 0)};
}

// Returns what follows `name` in the status, if it is there.
std::optional<std::string_view> find_value(std::string_view status, std::string_view name) {
  const std::size_t place = status.find(name);
  if (place == std::string_view::npos) return std::nullopt;
  return status.substr(place + name.size());
}

constexpr int kDecimal = 10;
constexpr int kHexadecimal = 16;

std::optional<std::uint64_t> number_at_begin(std::string_view text, int base) {
  std::uint64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number, base).ec != std::errc{})
    return std::nullopt;
  return number;
}

std::optional<base::SignalBits> find_signals(std::string_view status, std::string_view name) {
  const std::optional<std::string_view> digits = find_value(status, name);
  return digits ? number_at_begin(*digits, kHexadecimal) : std::nullopt;
}

// A system call that a thread sleeps in.
struct SleepingCall {
  static constexpr std::size_t kArguments = 6;

  std::uint64_t number = 0;
  std::array<std::uint64_t, kArguments> arguments{};
  std::uintptr_t stack_pointer = 0;
};

// Returns nothing for a thread that runs or sleeps elsewhere: its text has no such numbers.
std::optional<SleepingCall> call_that_sleeps(pid_t thread) {
  std::array<char, 512> room;
  std::string_view text = read_file_of(thread, "syscall", room);
  const std::optional<std::uint64_t> number = number_at_begin(text, kDecimal);
  if (!number) return std::nullopt;
  SleepingCall call{.number = *number};
  const auto take_next = [&text](std::uint64_t& value) {
    constexpr std::string_view kPrefix = " 0x";
    const std::optional<std::string_view> digits = find_value(text, kPrefix);
    if (!digits) return false;
    text = *digits;
    const std::optional<std::uint64_t> taken = number_at_begin(text, kHexadecimal);
    value = taken.value_or(0);
    return taken.has_value();
  };
  for (std::uint64_t& argument : call.arguments) {
    if (!take_next(argument)) return std::nullopt;
  }
  return take_next(call.stack_pointer) ? std::optional(call) : std::nullopt;
}

// The flags are clone's first argument, or lie in the structure to which clone3's first argument points, in
// the caller's frame.
std::uint64_t clone_flags(const SleepingCall& call) {
  constexpr std::uintptr_t kNear = 4096;
  const std::uint64_t first = call.arguments.front();
  if (call.number == SYS_clone) return first;
  const bool is_near = call.stack_pointer <= first && first - call.stack_pointer < kNear;
  if (call.number != SYS_clone3 || !is_near || first % sizeof(std::uint64_t) != 0) return 0;
  return *reinterpret_cast<const volatile std::uint64_t*>(first);
}

}  // namespace

std::optional<ThreadSignals> signals_of(pid_t thread) {
  std::array<char, 4096> room;
  const std::string_view status = read_file_of(thread, "status", room);
  const std::optional<std::string_view> state = find_value(status, "\nState:\t");
  const std::optional<base::SignalBits> pending = find_signals(status, "\nSigPnd:\t");
  const std::optional<base::SignalBits> blocked = find_signals(status, "\nSigBlk:\t");
  if (!state || !pending || !blocked) return std::nullopt;
  return ThreadSignals{*blocked, *pending, state->starts_with('t')};
}

std::optional<std::uintptr_t> stack_pointer_of_spawning(pid_t thread) {
  constexpr std::uint64_t kSpawns = CLONE_VM | CLONE_VFORK;
  const std::optional<SleepingCall> call = call_that_sleeps(thread);
  if (!call || (clone_flags(*call) & kSpawns) != kSpawns) return std::nullopt;
  return call->stack_pointer;
}

}  // namespace jackdaw::gc
