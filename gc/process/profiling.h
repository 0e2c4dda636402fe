// Profiling: takes samples of what the process allocates (AllocationProfile), and writes profiles.
//
// An allocator ends a free run before an object that is to be a sample, so that this object is allocated on
// the slow path, and the fast path knows nothing of samples (heap/sample_points.h).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/adaptive_mutex.h"
#include "base/page_vector.h"
#include "gc/process/threads/thread_registry.h"
#include "gc/report/profile/allocation_profile.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// One for the process. Any thread, unless a function says otherwise.
class Profiling {
 public:
  /// The bytes between two samples, unless the program says otherwise.
  static constexpr std::uint64_t kEvery = std::uint64_t{512} << 10;

  Profiling(heap::Heap& heap, ThreadRegistry& threads) : heap_(heap), threads_(threads) {}
  Profiling(const Profiling&) = delete;
  Profiling& operator=(const Profiling&) = delete;

  /// Takes a sample every `every` bytes on average from now on, and forgets those taken before. The calling
  /// thread is registered if it is not, as by write().
  void start(std::uint64_t every);
  /// Takes no more for the program; another process's profile goes on. Live samples are still found.
  void stop();
  /// Writes a profile to the file at `path`, in which %p becomes the process's number. False, with one line
  /// on the error output, when that is not possible. Throws std::bad_alloc.
  bool write(const std::string& path);

  /// Starts for another process, which is to come for the profile, and takes no samples after `time`. False
  /// where the program itself has started, or another process has that is there, whose time is not over. With
  /// the collector's lock, as end_for(), by a registered thread or one that uses no objects.
  bool start_for(pid_t inspector, std::uint64_t every, std::chrono::nanoseconds time);
  /// Ends what start_for() began, and appends the profile to `profile`. False where that process has started
  /// none that is still there, or there is no memory.
  bool end_for(pid_t inspector, base::PageVector<std::byte>& profile);

  /// Returns the samples, while no thread allocates or collects.
  [[nodiscard]] const AllocationProfile& profile() const { return profile_; }

  /// Starts, and writes a profile when the process exits. Once, before there are other threads.
  void start_until_exit(const std::string& path, std::uint64_t every);
  /// Writes the profile of start_until_exit(), at the process's exit.
  void write_at_exit();
  /// Adds an object that the calling thread has just allocated, a sample.
  void note(ProcessThread& thread, void* object);
  /// Drops the sample of an object that the calling thread is about to free explicitly.
  void note_freed(const heap::Object* object) {
    if (profile_.may_have(object)) [[unlikely]]
      drop(object);
  }
  /// Drops the samples of unmarked objects, while the program is stopped, between marking and sweeping.
  /// `unloaded`: how often code was unloaded.
  void note_marked(std::uint64_t unloaded);
  /// Forgets all samples in the child of a fork, which writes a profile at its exit if the file's name has
  /// its number.
  void after_fork_in_child();

 private:
  using Clock = std::chrono::steady_clock;

  template <typename Function>
  auto guarded(Function function);
  void restart(std::uint64_t every, pid_t inspector);
  /// Whether the inspector that has started is not this one, and is still there.
  [[nodiscard]] bool is_another(pid_t inspector) const;
  void forget();
  bool encode(base::PageVector<std::byte>& profile);
  void drop(const heap::Object* object);

  heap::Heap& heap_;
  ThreadRegistry& threads_;
  std::string path_;  // of the profile at the exit
  std::uint64_t every_ = 0;
  std::uint64_t unloaded_ = 0;  // at the last collection
  base::AdaptiveMutex mutex_;   // guards what follows; see guarded()
  pid_t inspector_ = 0;         // the process that has started; 0: the program, or nobody
  Clock::time_point end_;       // when it takes no more samples
  AllocationProfile profile_;
};

}  // namespace jackdaw::gc
