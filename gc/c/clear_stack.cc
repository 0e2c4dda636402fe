// GC_clear_stack: clears the frames of returned calls, so that old pointers there keep nothing alive.
#include <array>

#include "gc/c/interface.h"

extern "C" [[gnu::visibility("default")]] [[gnu::noinline]] void* GC_clear_stack(void* argument) {
  // This is about what the frames of a few calls take.
  std::array<volatile GC_word, 512> words;
  for (volatile GC_word& word : words) word = 0;
  return argument;
}
