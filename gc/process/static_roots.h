// StaticRoots: the program's static data as roots: of the program itself, of every shared object that is
// loaded, and ranges that were added by hand.
#pragma once

#include <mutex>

#include "heap/system_memory.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// Ranges may be added and removed by any thread between collections.
class StaticRoots {
 public:
  /// Adds a range, in whole words: it is scanned until it is removed. Throws std::bad_alloc.
  void add(const void* begin, const void* end);
  /// Takes away all parts of added ranges that lie between.
  void remove(const void* begin, const void* end);

  /// Looks up the writable data of all loaded objects and calls `stop_threads()`, in such a way that no
  /// object is being loaded or unloaded when the threads stand still. Also locks the ranges against changes,
  /// until release(). False when there was no memory to note them all; the threads stand still then, too.
  template <typename StopThreads>
  [[nodiscard]] bool take(StopThreads stop_threads) {
    return take_with([](void* stop) { (*static_cast<StopThreads*>(stop))(); }, &stop_threads);
  }
  /// Between take() and release(): everything that is to be scanned.
  template <typename Function>
  void for_each(Function function) const {
    for (const heap::Words words : of_objects_) function(words);
    for (const heap::Words words : added_) function(words);
  }
  void release() { mutex_.unlock(); }

 private:
  bool take_with(void (*stop_threads)(void*), void* argument);

  std::mutex mutex_;  // guards all below
  heap::SystemVector<heap::Words> added_;
  heap::SystemVector<heap::Words> of_objects_;
};

}  // namespace jackdaw::gc
