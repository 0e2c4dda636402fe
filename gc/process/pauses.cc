#include "gc/process/pauses.h"

#include <cstddef>
#include <mutex>

#include "base/check.h"
#include "base/stress.h"
#include "heap/chunk.h"
#include "heap/size_classes.h"

namespace jackdaw::gc {

// Locks the collecting thread's allocator out, since callbacks allocate from blocks of their own.
void Pauses::begin() {
  JACKDAW_CHECK(lock_.is_held_by_caller() && !is_program_stopped_);
  is_program_stopped_ = true;
  heap::Heap::lock_out(threads_.this_thread().allocator());
}

void Pauses::end() {
  is_program_stopped_ = false;
  if (made_.size() == 0) return;
  made_.clear();
  heap_.take_back_blocks(allocator_);
}

// Has the sweep keep an object, whose slot may be unmarked, if its block was taken before marks were cleared,
// or withdrawn (Heap::withdraw_free_slots).
void Pauses::keep(void* object) {
  auto* const start = static_cast<std::byte*>(object);
  const std::size_t bytes = heap::Heap::bytes_of(static_cast<heap::Object*>(object));
  if (bytes <= heap::kLargestSmallBytes) heap::Chunk::set_allocated(start, start + bytes);
  heap::Chunk::of(object)->mark_shared(object);
}

void Pauses::tell_threads(ThreadEvent event) {
  if (hooks_.thread == nullptr) return;
  threads_.stops().for_each_stopped([&](pthread_t thread) { hooks_.thread(event, thread); });
}

// The loader's lock is held, so that the thread is not suspended while it loads a library: each collection
// takes that lock.
void Pauses::suspend(pthread_t thread) {
  {
    const std::lock_guard lock(lock_);
    static_cast<void>(static_roots_.take([=, this] { threads_.suspension().suspend(thread); }));
    static_roots_.mutex().unlock();
  }
  threads_.suspension().await_suspension(thread);
}

void Pauses::resume(pthread_t thread) {
  const std::lock_guard lock(lock_);
  threads_.suspension().resume(thread);
}

ThreadsStopped::ThreadsStopped(Pauses& pauses) : pauses_(pauses) {
  pauses_.trace_.begin(TracePhase::pause);
  pauses_.hooks_.tell(CollectionEvent::before_stop);
  const auto stop = [this] {
    const CollectionTrace::Span stopping(pauses_.trace_, TracePhase::stop_threads);
    base::Stress::delay();
    stopped_threads_ = pauses_.threads_.stops().stop_others();
  };
  knows_static_roots_ = pauses_.static_roots_.take(stop);
  pauses_.begin();
  pauses_.hooks_.tell(CollectionEvent::after_stop);
  pauses_.tell_threads(ThreadEvent::stopped);
}

ThreadsStopped::~ThreadsStopped() {
  pauses_.tell_threads(ThreadEvent::to_resume);
  pauses_.hooks_.tell(CollectionEvent::before_resume);
  pauses_.end();
  pauses_.lock_.set_polling_time(pauses_.threads_.stops().polling_time());
  pauses_.trace_.end(TracePhase::pause);
  pauses_.last_end_ = std::chrono::steady_clock::now();
  pauses_.threads_.stops().resume_others();
  pauses_.static_roots_.mutex().unlock();
  pauses_.hooks_.tell(CollectionEvent::after_resume);
}

}  // namespace jackdaw::gc
