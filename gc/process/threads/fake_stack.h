// FakeStack: where AddressSanitizer keeps a thread's variables while it detects uses after return.
//
// It then gives each call with addressable variables a frame on its own heap, and the real stack holds only
// that frame's address. So for each word of the real stack that points into such a frame, the frame is
// scanned, too. Without the sanitizer, or with detect_stack_use_after_return=0, there are no such frames.
#pragma once

#include <cstdint>

#include "base/address_range.h"
#include "base/sanitizers.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// Belongs to one thread. The collector reads it while the thread is stopped.
class FakeStack {
 public:
  /// Returns the calling thread's. May be called in a signal handler.
  static FakeStack of_this_thread();

  /// Returns the real-stack address of the call whose fake frame holds `address`, or `address` if none does.
  [[nodiscard]] std::uintptr_t real_address(std::uintptr_t address) const {
    const std::uintptr_t real = frame_of(address).real;
    return real != 0 ? real : address;
  }

  /// Calls `function(heap::Words)` with the fake frames that `words`, of the real stack, point into.
  /// Sanitizers would report reads between variables, so they are off here.
  template <typename Function>
  [[gnu::no_sanitize_address]] void for_each_frame(heap::Words words, Function function) const {
    base::AddressRange last;  // several words in a row may point into the same frame
    for (const heap::Word word : words) {
      if (last.contains(word.bits)) continue;
      const base::AddressRange frame = frame_of(word.bits).words;
      if (frame.empty()) continue;
      function(heap::whole_words_between(frame.begin, frame.end));
      last = frame;
    }
  }

 private:
  // The variables of a call under way; empty and 0 when there is no such call.
  struct Frame {
    base::AddressRange words;
    std::uintptr_t real = 0;  // its address on the real stack
  };
  [[nodiscard]] Frame frame_of(std::uintptr_t address) const;

  void* handle_ = nullptr;  // the sanitizer's handle; null when there is none
};

}  // namespace jackdaw::gc
