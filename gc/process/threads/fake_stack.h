// FakeStack: where AddressSanitizer keeps a thread's variables while it looks for uses after return.
//
// It then gives each call that has variables with an address a frame on the heap of its own, and the real
// stack holds no more than that frame's address. So of each word of the real stack that leads into such a
// frame the frame is scanned, too. Without the sanitizer, or with detect_stack_use_after_return=0, there is
// no such frame.
#pragma once

#include <cstdint>

#include "base/address_range.h"
#include "base/sanitizers.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// Belongs to one thread. Read by the collector while the thread is stopped.
class FakeStack {
 public:
  /// The calling thread's. May be called in a signal handler.
  static FakeStack of_this_thread();

  /// Where the call whose frame `address` lies in has its real one; `address` when it lies in none.
  [[nodiscard]] std::uintptr_t real_address(std::uintptr_t address) const {
    const std::uintptr_t real = frame_of(address).real;
    return real != 0 ? real : address;
  }

  /// Calls `function(heap::Words)` with the frames that `words`, of the real stack, lead to. They may lie
  /// between variables, where the sanitizer sees nothing that one may read.
  template <typename Function>
  [[gnu::no_sanitize_address]] void for_each_frame(heap::Words words, Function function) const {
    base::AddressRange last;  // several words in a row lead to the same one
    for (const heap::Word word : words) {
      if (last.contains(word.bits)) continue;
      const base::AddressRange frame = frame_of(word.bits).words;
      if (frame.empty()) continue;
      function(heap::whole_words_between(frame.begin, frame.end));
      last = frame;
    }
  }

 private:
  // Where the variables of a call under way lie: empty and 0 when there is no such call.
  struct Frame {
    base::AddressRange words;
    std::uintptr_t real = 0;  // its address on the real stack
  };
  [[nodiscard]] Frame frame_of(std::uintptr_t address) const;

  void* handle_ = nullptr;  // the sanitizer's own; null when there is none
};

}  // namespace jackdaw::gc
