#include "gc/process/profiling.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/own_descriptor.h"
#include "base/own_file.h"
#include "base/page_vector.h"
#include "base/path_pattern.h"
#include "base/warn.h"
#include "gc/process/process_collector.h"
#include "gc/report/dump/dump_file.h"
#include "gc/report/profile/call_stack.h"
#include "gc/report/profile/pprof.h"

namespace jackdaw::gc {

namespace {

// Returns whether the whole file is there.
bool write_file(const std::string& path, std::span<const std::byte> bytes) {
  DumpFile whole(path);
  base::OwnFile file;
  if (!whole.open(file)) return false;
  const bool is_written = file.write(bytes);
  const int reason = errno;
  file.close();
  if (whole.finish(is_written)) return true;
  if (!is_written) errno = reason;
  return false;
}

}  // namespace

// No collection comes meanwhile: it waits for critical sections to end, and for the lock that a thread which
// is not registered has.
template <typename Function>
auto Profiling::guarded(Function function) {
  std::optional<ThreadRegistry::CriticalSection> critical;
  if (ProcessThread* const thread = ThreadRegistry::current()) critical.emplace(*thread);
  const std::lock_guard lock(mutex_);
  return function();
}

void Profiling::start(std::uint64_t every) {
  // The first unwinding of a process takes locks of the loader: not inside a critical section.
  CallStack().take();
  threads_.this_thread();
  guarded([&] { restart(every, 0); });
}

void Profiling::restart(std::uint64_t every, pid_t inspector) {
  profile_.clear();
  profile_.make_room();
  every_ = std::max<std::uint64_t>(every, 1);
  inspector_ = inspector;
  heap_.set_sample_every(every_);
}

bool Profiling::start_for(pid_t inspector, std::uint64_t every, std::chrono::nanoseconds time) {
  CallStack().take();  // as in start()
  return guarded([&] {
    const Clock::time_point now = Clock::now();
    if (every_ != 0 && (inspector_ == 0 || (now < end_ && is_another(inspector)))) return false;
    restart(every, inspector);
    end_ = now + time;
    return true;
  });
}

bool Profiling::is_another(pid_t inspector) const {
  return inspector_ != inspector && (kill(inspector_, 0) == 0 || errno != ESRCH);
}

bool Profiling::end_for(pid_t inspector, base::PageVector<std::byte>& profile) {
  const auto is_for_it = [&] { return inspector_ == inspector; };
  const bool is_whole = guarded(is_for_it) && encode(profile);
  return guarded([&] {
    if (!is_for_it()) return false;
    forget();
    return is_whole;
  });
}

void Profiling::stop() {
  guarded([&] {
    if (inspector_ == 0) heap_.set_sample_every(0);
  });
}

// Leaves all as before the first start.
void Profiling::forget() {
  heap_.set_sample_every(0);
  profile_.clear();
  every_ = 0;
  inspector_ = 0;
}

void Profiling::note(ProcessThread& thread, void* object) {
  CallStack stack;
  stack.take(thread.stack_end_above(reinterpret_cast<std::uintptr_t>(&stack)));
  const auto* const sample = static_cast<const heap::Object*>(object);
  const ThreadRegistry::CriticalSection critical(thread);
  const std::lock_guard lock(mutex_);
  if (inspector_ != 0 && Clock::now() >= end_) {
    heap_.set_sample_every(0);
  } else {
    profile_.add(sample, heap::Heap::bytes_of(sample), every_, stack.frames());
  }
}

void Profiling::note_marked(std::uint64_t unloaded) {
  if (unloaded != std::exchange(unloaded_, unloaded)) CallStack::forget_rules();
  profile_.drop_unmarked();
}

void Profiling::drop(const heap::Object* object) {
  const ThreadRegistry::CriticalSection critical(threads_.this_thread());
  const std::lock_guard lock(mutex_);
  profile_.drop(object);
}

bool Profiling::encode(base::PageVector<std::byte>& profile) {
  base::PageVector<char> maps;
  read_memory_map(maps);
  AllocationSites sites;
  std::uint64_t every = 0;
  const bool is_copied = guarded([&] {
    every = every_;
    return sites.copy(profile_);
  });
  return is_copied && encode_pprof(sites, every, {maps.data(), maps.size()}, profile);
}

bool Profiling::write(const std::string& path) {
  threads_.this_thread();
  base::PageVector<std::byte> bytes;
  const bool is_whole = encode(bytes);
  errno = ENOMEM;
  const std::string file = base::expand_path(path);
  if (is_whole && write_file(file, bytes.span())) return true;
  base::warn("the profile '" + file + "' cannot be written (" + std::string(base::OwnFile::reason_of(errno)) +
             ")");
  return false;
}

void Profiling::start_until_exit(const std::string& path, std::uint64_t every) {
  path_ = path;
  base::OwnDescriptor::make_room();
  start(every);
  std::atexit([] { ProcessCollector::instance().profiling().write_at_exit(); });
}

void Profiling::write_at_exit() {
  try {
    if (!path_.empty()) write(path_);
  } catch (const std::bad_alloc&) {
    base::warn("there is no memory for the profile");
  }
}

void Profiling::after_fork_in_child() {
  profile_.clear();
  if (inspector_ != 0) forget();
  if (path_.find("%p") == std::string::npos) path_.clear();
}

}  // namespace jackdaw::gc
