// OwnWork: marks work of the collector during which the program's allocation functions must not use the heap.
//
// To start, to make its engine and to register a thread, the collector calls the C and C++ libraries, which
// call operator new or malloc. A program may have replaced these by the collector's functions, as every
// program linked with libgccpp does. They then return memory from here: the heap may not exist yet, or a lock
// of it may be held, and memory that the collector itself holds is not reachable from any root.
#pragma once

#include <atomic>
#include <cstddef>

namespace jackdaw::gc {

class AllocatingThread;

/// While it exists, the calling thread works for the collector. May be nested. The thread cannot be stopped
/// meanwhile: it is not registered, or holds the collector's lock.
class OwnWork {
 public:
  OwnWork();
  ~OwnWork();
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

  /// Whether the calling thread works for the collector, as mark threads always do. ThreadRegistry::current()
  /// is then null, or has nothing to allocate from.
  static bool is_under_way();

 private:
  // The thread's entry, which is hidden so that it allocates nothing from the heap.
  AllocatingThread* const hidden_;
};

/// The memory for such work. It is no root. Any thread.
class OwnMemory {
 public:
  /// Returns `bytes` zeroed bytes at a multiple of `alignment`, a power of two, or null when there are none.
  static void* allocate(std::size_t bytes, std::size_t alignment = 16);
  /// Whether allocate() returned `address`. O(1).
  static bool owns(const void* address) {
    // Acquire: pairs with the release in allocate, so that search() finds the memory.
    return is_used_.load(std::memory_order_acquire) && search(address);
  }
  /// Returns the bytes of memory from allocate(): at least as many as were requested.
  static std::size_t bytes_of(const void* memory);
  static void free(void* memory);

  /// These are called around a fork. This lock is taken last of all.
  static void lock();
  static void unlock();
  /// Replaces unlock() in the child.
  static void unlock_in_child();
  /// Whether allocate() was ever called, so that the program's operator new or malloc leads here.
  static bool is_used() { return is_used_.load(std::memory_order_acquire); }

 private:
  static bool search(const void* address);

  static constinit std::atomic<bool> is_used_;
};

}  // namespace jackdaw::gc
