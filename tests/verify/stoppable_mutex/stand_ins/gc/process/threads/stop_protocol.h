// Stands in for gc/process/threads/stop_protocol.h: nobody is stopped.
#pragma once

#include <cstdint>

#include "base/futex_word.h"

namespace jackdaw::gc {

struct StopProtocol {
  static void safepoint() {}
  static void sleep_on(base::FutexWord& word, std::uint32_t unwanted, std::uint32_t sleepers) {
    word.wait(unwanted, sleepers);
  }
};

}  // namespace jackdaw::gc
