// ThreadLocals: finds a thread's thread_local variables, which are roots.
//
// Each loaded object with such variables is a module, which has one block for each thread. Blocks of objects
// loaded at the start lie side by side in the thread's static area; those of later libraries are allocated
// when the thread first accesses them, or lie in the static area, too, if they are small and there is room.
// The thread's own table (DTV) leads to all of them. What a closed library left in the static area stays a
// root.
//
// Source: Drepper, "ELF Handling For Thread-Local Storage", 2013, §3, and glibc's layout of the table, which
// is verified against dl_iterate_phdr before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/address_range.h"
#include "gc/process/threads/readable_words.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// A loaded object that has thread_local variables.
struct ThreadLocalModule {
  std::size_t number = 0;  ///< from 1 on
  std::size_t bytes = 0;   ///< of a thread's block
};

/// Belongs to one thread. The collector reads it while the thread is stopped.
class ThreadLocals {
 public:
  /// Returns the calling thread's, or an empty one when the C library's table has an unknown layout.
  static ThreadLocals of_this_thread();

  /// Whether the layout is known.
  [[nodiscard]] bool are_known() const { return thread_pointer_ != 0; }

  /// Calls `function(heap::Words)` with the readable words of the static area, and of the modules' blocks
  /// elsewhere. A few system calls for each module.
  template <typename Function>
  void for_each_block(std::span<const ThreadLocalModule> modules, Function function) const {
    if (!are_known()) return;
    for_each_readable_words(static_area_, function);
    for (const ThreadLocalModule& module : modules) {
      const base::AddressRange block = block_of(module);
      if (!static_area_.contains(block)) for_each_readable_words(block, function);
    }
  }

 private:
  // Returns the thread's block of the module; empty when it has none yet.
  [[nodiscard]] base::AddressRange block_of(const ThreadLocalModule& module) const;

  std::uintptr_t thread_pointer_ = 0;
  base::AddressRange static_area_;
};

}  // namespace jackdaw::gc
