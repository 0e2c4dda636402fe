// GC_clear_stack: old pointers in frames that are gone keep nothing.
#include <array>

#include "gc/c/interface.h"

extern "C" [[gnu::visibility("default")]] [[gnu::noinline]] void* GC_clear_stack(void* argument) {
  // The frames of a few calls take this number of bytes.
  std::array<volatile GC_word, 512> words;
  for (volatile GC_word& word : words) word = 0;
  return argument;
}
