#include "gc/process/threads/process_thread.h"

#include <pthread.h>
#include <unistd.h>

#include <cstddef>
#include <new>
#include <span>
#include <utility>

#include "base/check.h"
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

// An idle thread's entry would take most of what the collector needs for it, had it a page of its own. Lines
// of a cache are not shared.
constexpr std::size_t kCellAlignment = 64;
union Cell {
  Cell* next;                                                      // while it is free
  alignas(kCellAlignment) std::byte entry[sizeof(ProcessThread)];  // NOLINT(modernize-avoid-c-arrays)
};
constexpr std::size_t kCellsAtOnce = 64;

// The registry's lock guards both.
constinit Cell* free_cells = nullptr;
constinit std::span<Cell> unused_cells;  // never written to

}  // namespace

constinit thread_local AllocatingThread* AllocatingThread::current_ = nullptr;

ProcessThread::ProcessThread(heap::Heap& heap, heap::FirstObjects* first_objects, const ThreadStack& stack,
                             const ThreadLocals& thread_locals)
    : AllocatingThread(pthread_self(), number_of_this_thread(), heap, first_objects),
      thread_locals_(thread_locals),
      stack_(stack) {}

void* ProcessThread::operator new(std::size_t bytes) {
  JACKDAW_CHECK(bytes == sizeof(Cell::entry));
  if (free_cells != nullptr) return std::exchange(free_cells, free_cells->next);
  if (unused_cells.empty()) {
    const std::span<std::byte> memory = base::PageMemory::allocate(kCellsAtOnce * sizeof(Cell));
    if (memory.empty()) throw std::bad_alloc();
    unused_cells = {reinterpret_cast<Cell*>(memory.data()), kCellsAtOnce};
  }
  Cell* const cell = unused_cells.data();
  unused_cells = unused_cells.subspan(1);
  return cell;
}

void ProcessThread::operator delete(void* thread) {
  auto* const cell = static_cast<Cell*>(thread);
  cell->next = std::exchange(free_cells, cell);
}

void ProcessThread::renumber() { number_ = number_of_this_thread(); }

}  // namespace jackdaw::gc
