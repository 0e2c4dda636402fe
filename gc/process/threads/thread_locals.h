// ThreadLocals: where a thread's variables of storage class thread_local lie, so that they are roots.
//
// Each loaded object that has such variables is a module: of each thread it has one block. Blocks of objects
// that were there at the start lie side by side in the thread's static area, those of libraries that came
// later are allocated when the thread first touches them. The thread's own table (DTV) tells them all.
//
// Source: Drepper, "ELF Handling For Thread-Local Storage", 2013, §3, and the layout that glibc gives the
// table. It is compared with what dl_iterate_phdr says before it is believed.
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
  std::size_t bytes = 0;   ///< of each thread's block
};

/// Belongs to one thread. Read by the collector while the thread is stopped.
class ThreadLocals {
 public:
  /// The calling thread's. Without any when the C library's table has another layout than is known here.
  static ThreadLocals of_this_thread();

  /// Whether the layout is known.
  [[nodiscard]] bool are_known() const { return thread_pointer_ != 0; }

  /// Calls `function(heap::Words)` with the readable words of the static area and of the modules' blocks that
  /// lie elsewhere. A few system calls for each module.
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
  // The thread's block of the module; empty when it has none yet.
  [[nodiscard]] base::AddressRange block_of(const ThreadLocalModule& module) const;

  std::uintptr_t thread_pointer_ = 0;
  base::AddressRange static_area_;
};

}  // namespace jackdaw::gc
