// Poisoning: what a process's collector tells of writes to memory that holds no object (JACKDAW_POISON).
#pragma once

#include <atomic>

#include "heap/object.h"
#include "heap/poison.h"

namespace jackdaw::gc {

class Poisoning {
 public:
  /// Where in the program an object was allocated that is no more. Null `file`: unknown.
  struct Place {
    const char* file = nullptr;
    int line = 0;
  };
  using PlaceOf = Place (*)(const heap::Object* dead);

  /// Ends the program with a line that says what was written, and where the object came from.
  [[noreturn]] static void tell(const heap::Poison::Write& write);
  /// From now on `place_of` knows where objects came from.
  // Relaxed, here and where it is read: it is a function, which is there.
  static void set_place_of(PlaceOf place_of) { place_of_.store(place_of, std::memory_order_relaxed); }

 private:
  static constinit std::atomic<PlaceOf> place_of_;
};

}  // namespace jackdaw::gc
