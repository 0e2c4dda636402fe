// A program whose objects are marked while it runs, by the shipped ConcurrentMarking, Heap and Allocator.
// The folders stand_ins hold the models of all else, above all of the system.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "gc/process/concurrent/concurrent_marking.cc"
#include "heap/allocator.cc"
#include "heap/blocks.cc"
#include "heap/chunk.cc"
#include "heap/granule_bits.cc"
#include "heap/heap.cc"
#include "heap/huge_page_plan.cc"
#include "heap/large_objects.cc"
#include "heap/span_objects.cc"
#include "heap/sweeper.cc"
#include "tests/verify/verify.h"

// What the shipped code calls of libraries. Its one std::mutex is the heap's.
namespace verify {
inline Mutex heap_lock;
}
extern "C" {
inline int pthread_mutex_lock(pthread_mutex_t*) noexcept {
  verify::heap_lock.lock();
  return 0;
}
// An attempt waits, as one that failed would only be made again.
inline int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept { return pthread_mutex_lock(mutex); }
inline int pthread_mutex_unlock(pthread_mutex_t*) noexcept {
  verify::heap_lock.unlock();
  return 0;
}
inline int pthread_create(pthread_t* thread, const pthread_attr_t*, void* (*body)(void*),
                          void* argument) noexcept {
  *thread = static_cast<pthread_t>(verify::start(body, argument));
  return 0;
}
inline int pthread_join(pthread_t thread, void**) {
  __VERIFIER_thread_join(static_cast<long>(thread));
  return 0;
}
// The system's scheduler does not answer.
inline long syscall(long, ...) noexcept { return -1; }
inline int prctl(int, ...) noexcept { return -1; }
inline int sched_getcpu() noexcept { return 0; }
// Clocks stand still, and no thread has one of its own.
inline int pthread_getcpuclockid(pthread_t, clockid_t*) noexcept { return -1; }
inline double sqrt(double) noexcept { return 0; }
}
namespace std::chrono {
inline steady_clock::time_point steady_clock::now() noexcept { return {}; }
}  // namespace std::chrono

namespace verify {

namespace gc = jackdaw::gc;
namespace heap = jackdaw::heap;

class Program {
 public:
  Program()
      : collection_(heap_),
        marking_(heap_, collection_, lock_, threads_, trace_, std::chrono::milliseconds(1)),
        allocator_(heap_) {}

  /// An object of so many bytes, whose words are null.
  std::uintptr_t* allocate(std::size_t bytes) {
    const std::lock_guard section(program_thread::critical_section);
    return reinterpret_cast<std::uintptr_t*>(allocator_.allocate_plain(bytes, heap::KindNumber::words));
  }
  /// The same, as a large object.
  std::uintptr_t* allocate_large(std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t*>(heap_.allocate_large(bytes, heap::KindNumber::words));
  }
  /// Frees a large object by hand.
  void free_large(std::uintptr_t* object) {
    const std::lock_guard section(program_thread::critical_section);
    heap_.free_large(reinterpret_cast<heap::Object*>(object));
  }
  /// From now on the objects that these lead to are marked.
  void start_cycle(std::span<heap::Object* const> roots) {
    marking_.start_tracking(gc::WriteTrackingMethod::pagemap_scan);
    marking_.start_thread();
    heap_.begin_marking();
    marking_.start_marking(roots, {});
  }
  /// Ends the marking with these roots, with the program's thread stopped.
  void end_marking(std::span<heap::Object* const> roots) {
    gc::MarkEngine engine;
    const std::lock_guard lock(lock_);
    for (; marking_.phase() == Phase::marking; lock_.lock()) {
      lock_.unlock();
      marking_.await_end_of(Phase::marking);
    }
    marking_.end_marking(engine);
    collection_.mark_some(roots);
  }
  void end() {
    marking_.give_up();
    marking_.end_thread();
  }

 private:
  using Phase = gc::ConcurrentMarking::Phase;

  heap::Heap heap_;
  gc::Collection collection_;
  gc::StoppableMutex lock_;
  gc::ThreadRegistry threads_;
  gc::CollectionTrace trace_;
  gc::ConcurrentMarking marking_;
  heap::Allocator allocator_;
};

inline heap::Object* object_at(std::uintptr_t* words) { return reinterpret_cast<heap::Object*>(words); }
inline bool is_marked(std::uintptr_t* words) { return heap::Chunk::of(words)->is_marked(object_at(words)); }

inline std::uintptr_t load(std::uintptr_t* word) {
  return std::atomic_ref(*word).load(std::memory_order_relaxed);
}

}  // namespace verify
