// StaticRoots: the static data of the program and of all loaded shared objects, and ranges that the program
// adds, as roots. It also finds the loaded objects that have thread_local variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "base/address_range.h"
#include "base/page_vector.h"
#include "base/readable_memory.h"
#include "gc/process/threads/readable_words.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_locals.h"
#include "heap/word.h"
#include "heap/word_scan.h"

struct dl_phdr_info;

namespace jackdaw::gc {

/// Ranges are [begin, end) of any alignment. A collection scans the whole words in them that can be read. Any
/// thread may change them between collections.
class StaticRoots {
 public:
  /// Decides whether a range of a library's writable data is scanned. Called in a collection, with the other
  /// threads stopped and the roots locked: it must not touch the heap, call malloc or change the roots.
  using LibraryFilter = bool (*)(const char* library, const void* begin, std::size_t bytes);

  /// Adds a range, which is scanned until it is removed. Ranges may overlap. Throws std::bad_alloc.
  void add(const void* begin, const void* end);
  /// Removes the added ranges that lie wholly between.
  void remove(const void* begin, const void* end);
  /// These add and remove ranges of machine code likewise, in which an address may begin at any byte.
  void add_code(const void* begin, const void* end);
  void remove_code(const void* begin, const void* end);
  /// Removes all added ranges and the program's own data.
  void clear();
  /// Excludes a range, which holds no references, from all others. Throws std::bad_alloc.
  void exclude(const void* begin, const void* end);
  /// Removes all exclusions.
  void clear_exclusions();
  /// Sets whether the data of shared objects are scanned, as they are by default.
  void set_scans_libraries(bool scans);
  [[nodiscard]] bool scans_libraries();
  /// Sets the filter for ranges of shared objects' data. Null, the default: all are scanned.
  void set_library_filter(LibraryFilter filter);

  /// Walks all loaded objects and calls `stop_threads()` so that no object is being loaded or unloaded while
  /// the threads are stopped. Locks mutex(), which the caller unlocks. False when there was no memory to note
  /// all objects; the threads are stopped then, too.
  template <typename StopThreads>
  [[nodiscard]] bool take(StopThreads stop_threads) {
    return take_with([](void* stop) { (*static_cast<StopThreads*>(stop))(); }, &stop_threads);
  }
  /// Calls `function(heap::Words)` with all words to scan, between take() and unlocking mutex(). It takes the
  /// system calls of for_each_readable_words().
  template <typename Function>
  void for_each(Function function) const {
    for (const base::AddressRange& range : scanned_.span()) for_each_readable_words(range, function);
  }
  /// Calls `function(place, word)` likewise for the eight bytes from each byte of code on, if they all can be
  /// read.
  template <typename Function>
  void for_each_in_code(Function function) const {
    for (const base::AddressRange& code : code_) {
      base::for_each_readable(code, [&](base::AddressRange part) {
        for (std::uintptr_t at = part.begin; at + heap::kWordBytes <= part.end; ++at)
          function(at, heap::unaligned_word_at(at));
      });
    }
  }
  /// Returns the bytes of all code, between take() and unlocking mutex().
  [[nodiscard]] std::uint64_t code_bytes() const;
  /// Returns the loaded objects that have thread_local variables, between take() and unlocking mutex().
  [[nodiscard]] std::span<const ThreadLocalModule> thread_local_modules() const { return modules_.span(); }

  /// Returns how many objects the loader had ever unloaded when take() was called last. Valid until the next
  /// call.
  [[nodiscard]] std::uint64_t unloaded() const { return unloaded_; }
  /// Whether the last collection found the address in the data of the program or of a library, not in an
  /// added range.
  [[nodiscard]] bool is_in_loaded_data(const void* address);
  /// Makes room for some hundred ranges, so that take() needs memory only for more. False when there is none.
  [[nodiscard]] bool reserve() { return scanned_.reserve(1) && modules_.reserve(1); }

  /// While it is held, the ranges do not change.
  StoppableMutex& mutex() { return mutex_; }

 private:
  struct Walk;

  void add_to(base::PageVector<base::AddressRange>& ranges, const void* begin, const void* end);
  void remove_from(base::PageVector<base::AddressRange>& ranges, const void* begin, const void* end);
  bool take_with(void (*stop_threads)(void*), void* argument);
  [[nodiscard]] bool note_object(const dl_phdr_info& object, bool is_program);

  StoppableMutex mutex_;  // guards all members below
  base::PageVector<base::AddressRange> added_;
  base::PageVector<base::AddressRange> code_;
  base::PageVector<base::AddressRange> excluded_;
  bool scans_program_ = true;
  bool scans_libraries_ = true;
  LibraryFilter library_filter_ = nullptr;
  // The ranges and modules that a collection found.
  base::PageVector<base::AddressRange> scanned_;
  base::PageVector<ThreadLocalModule> modules_;
  std::uint64_t unloaded_ = 0;
};

}  // namespace jackdaw::gc
