#include "gc/process/threads/process_thread.h"

#include <pthread.h>
#include <unistd.h>

#include <cstddef>
#include <new>
#include <span>

#include "base/page_memory.h"

namespace jackdaw::gc {

namespace {

// Returns the system's number of the calling thread. If a filter of system calls refuses it, the number is
// the one that the thread library keeps, and stores in a mutex that knows its owner.
pid_t number_of_this_thread() {
  const pid_t number = gettid();
#ifdef __GLIBC__
  if (number < 0) {
    pthread_mutex_t own = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_mutex_lock(&own);
    const pid_t owner = own.__data.__owner;
    pthread_mutex_unlock(&own);
    return owner;
  }
#endif
  return number;
}

}  // namespace

constinit thread_local AllocatingThread* AllocatingThread::current_ = nullptr;

ProcessThread::ProcessThread(heap::Heap& heap, const ThreadStack& stack, const ThreadLocals& thread_locals)
    : AllocatingThread(pthread_self(), number_of_this_thread(), heap),
      thread_locals_(thread_locals),
      stack_(stack) {}

void* ProcessThread::operator new(std::size_t bytes) {
  const std::span<std::byte> memory = base::PageMemory::allocate(bytes);
  if (memory.empty()) throw std::bad_alloc();
  return memory.data();
}

void ProcessThread::operator delete(void* thread) {
  base::PageMemory::release({static_cast<std::byte*>(thread), sizeof(ProcessThread)});
}

void ProcessThread::renumber() { number_ = number_of_this_thread(); }

}  // namespace jackdaw::gc
