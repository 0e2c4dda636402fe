#include "gc/process/profiling.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <new>
#include <span>
#include <string_view>

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

void Profiling::start(std::uint64_t every) {
  // The first unwinding of a process takes locks of the loader: not inside a critical section.
  CallStack().take();
  const ThreadRegistry::CriticalSection critical(threads_.this_thread());
  const std::lock_guard lock(mutex_);
  profile_.clear();
  every_ = std::max<std::uint64_t>(every, 1);
  heap_.set_sample_every(every_);
}

void Profiling::note(ProcessThread& thread, void* object) {
  CallStack stack;
  stack.take();
  const auto* const sample = static_cast<const heap::Object*>(object);
  const ThreadRegistry::CriticalSection critical(thread);
  const std::lock_guard lock(mutex_);
  profile_.add(sample, heap::Heap::bytes_of(sample), every_, stack.frames());
}

void Profiling::drop(const heap::Object* object) {
  const ThreadRegistry::CriticalSection critical(threads_.this_thread());
  const std::lock_guard lock(mutex_);
  profile_.drop(object);
}

bool Profiling::write(const std::string& path) {
  base::PageVector<char> maps;
  base::PageVector<std::byte> bytes;
  read_memory_map(maps);
  AllocationSites sites;
  std::uint64_t every = 0;
  bool is_whole = false;
  {
    const ThreadRegistry::CriticalSection critical(threads_.this_thread());
    const std::lock_guard lock(mutex_);
    is_whole = sites.copy(profile_);
    every = every_;
  }
  is_whole = is_whole && encode_pprof(sites, every, {maps.data(), maps.size()}, bytes);
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
  if (path_.find("%p") == std::string::npos) path_.clear();
}

}  // namespace jackdaw::gc
