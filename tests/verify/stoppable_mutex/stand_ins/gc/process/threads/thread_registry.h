// Stands in for gc/process/threads/thread_registry.h: nobody is stopped.
#pragma once

#include <cstdint>

#include "base/futex_word.h"

namespace jackdaw::gc {

struct ThreadRegistry {
  static void safepoint() {}
  static void sleep_on(base::FutexWord& word, std::uint32_t unwanted, std::uint32_t sleepers) {
    word.wait(unwanted, sleepers);
  }
};

}  // namespace jackdaw::gc
