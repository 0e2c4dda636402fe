// OwnWork: what the collector does for itself that may lead back to it.
//
// To start, to make its engine and to register a thread it calls the C and C++ libraries, which ask operator
// new or malloc for memory. A program may have replaced them by functions of the collector's interface, as
// every program does that is linked with libgccpp. Those then give out memory from here: the heap may not be
// there yet, a lock of it may be held, and what the collector keeps for itself no root would keep.
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

  /// Whether the calling thread does, as mark threads always do. Then ThreadRegistry::current() is null, or
  /// has nothing to allocate from.
  static bool is_under_way();

 private:
  // It allocates nothing from the heap meanwhile.
  AllocatingThread* const hidden_;
};

/// The memory for that. It is no root. Any thread.
class OwnMemory {
 public:
  /// Zeroed memory of `bytes` bytes at a multiple of `alignment`, a power of two, or null when there is none.
  static void* allocate(std::size_t bytes, std::size_t alignment = 16);
  /// Whether allocate() returned `address`. O(1).
  static bool owns(const void* address) {
    // Acquire: pairs with the release in allocate, so that search() finds what was given out.
    return is_used_.load(std::memory_order_acquire) && search(address);
  }
  /// Bytes of what allocate() returned: as many as were asked for, at least.
  static std::size_t bytes_of(const void* memory);
  static void free(void* memory);

  /// Around a fork, as the last lock of all.
  static void lock();
  static void unlock();
  /// In the child, in place of unlock().
  static void unlock_in_child();
  /// Whether it ever gave out memory: the program's operator new or malloc leads here.
  static bool is_used() { return is_used_.load(std::memory_order_acquire); }

 private:
  static bool search(const void* address);

  static constinit std::atomic<bool> is_used_;
};

}  // namespace jackdaw::gc
