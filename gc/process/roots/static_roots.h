// StaticRoots: the program's static data as roots: of the program itself, of every shared object that is
// loaded, and ranges that were added by hand. Also which loaded objects have thread_local variables.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>

#include "base/address_range.h"
#include "base/page_vector.h"
#include "gc/process/threads/readable_words.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_locals.h"
#include "heap/word_scan.h"

struct dl_phdr_info;

namespace jackdaw::gc {

/// Ranges are [begin, end) of any alignment; the whole words in them are scanned, where they can be read when
/// the collection comes. They may be changed by any thread between collections.
class StaticRoots {
 public:
  /// Whether a stretch of a library's writable data is scanned. Called in a collection, with the other
  /// threads stopped and the roots locked: it must not touch the heap, call malloc or change the roots.
  using LibraryFilter = bool (*)(const char* library, const void* begin, std::size_t bytes);

  /// Adds a range: it is scanned until it is removed. Ranges may overlap. Throws std::bad_alloc.
  void add(const void* begin, const void* end);
  /// Takes away the added ranges that lie wholly between.
  void remove(const void* begin, const void* end);
  /// Takes away all added ranges and the program's own data.
  void clear();
  /// The range holds no references: it is left out, whatever else it belongs to. Throws std::bad_alloc.
  void exclude(const void* begin, const void* end);
  /// Nothing is left out any more.
  void clear_exclusions();
  /// Whether the data of shared objects are scanned; at first they are.
  void set_scans_libraries(bool scans);
  [[nodiscard]] bool scans_libraries();
  /// Asked of every stretch of data of every shared object. Null, as at first: all are scanned.
  void set_library_filter(LibraryFilter filter);

  /// Looks up all loaded objects and calls `stop_threads()`, in such a way that no object is being loaded or
  /// unloaded when the threads stand still. Also locks mutex(), and leaves it to the caller to unlock. False
  /// when there was no memory to note them all; the threads stand still then, too.
  template <typename StopThreads>
  [[nodiscard]] bool take(StopThreads stop_threads) {
    return take_with([](void* stop) { (*static_cast<StopThreads*>(stop))(); }, &stop_threads);
  }
  /// Between take() and unlocking mutex(): calls `function(heap::Words)` with everything that is to be
  /// scanned. System calls as for_each_readable_words.
  template <typename Function>
  void for_each(Function function) const {
    for (const base::AddressRange& range : scanned_.span()) for_each_readable_words(range, function);
  }
  /// Between take() and unlocking mutex(): the loaded objects that have thread_local variables.
  [[nodiscard]] std::span<const ThreadLocalModule> thread_local_modules() const { return modules_.span(); }

  /// Whether the last collection found the address in the data of the program or of a library, rather than in
  /// a range that was added.
  [[nodiscard]] bool is_in_loaded_data(const void* address);
  /// Makes room for some hundred ranges, so that take() needs memory for what is beyond that alone. False
  /// when there is none.
  [[nodiscard]] bool reserve() { return scanned_.reserve(1) && modules_.reserve(1); }

  /// While it is held, the ranges do not change.
  StoppableMutex& mutex() { return mutex_; }

 private:
  struct Walk;

  bool take_with(void (*stop_threads)(void*), void* argument);
  [[nodiscard]] bool note_object(const dl_phdr_info& object, bool is_program);

  StoppableMutex mutex_;  // guards all below
  base::PageVector<base::AddressRange> added_;
  base::PageVector<base::AddressRange> excluded_;
  bool scans_program_ = true;
  bool scans_libraries_ = true;
  LibraryFilter library_filter_ = nullptr;
  // The ranges and modules that a collection found.
  base::PageVector<base::AddressRange> scanned_;
  base::PageVector<ThreadLocalModule> modules_;
};

}  // namespace jackdaw::gc
