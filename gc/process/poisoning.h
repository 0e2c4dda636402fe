// Poisoning: reports writes to memory that holds no object (JACKDAW_POISON).
#pragma once

#include <atomic>

#include "heap/object.h"
#include "heap/poison.h"

namespace jackdaw::gc {

class Poisoning {
 public:
  /// Where in the program a dead object was allocated. Null `file`: unknown.
  struct Place {
    const char* file = nullptr;
    int line = 0;
  };
  using PlaceOf = Place (*)(const heap::Object* dead);

  /// Ends the program with a line that says what was written, and where the object was allocated.
  [[noreturn]] static void tell(const heap::Poison::Write& write);
  /// Sets the function that finds where an object was allocated.
  // Relaxed, here and where it is read: the function itself needs no publishing.
  static void set_place_of(PlaceOf place_of) { place_of_.store(place_of, std::memory_order_relaxed); }

 private:
  static constinit std::atomic<PlaceOf> place_of_;
};

}  // namespace jackdaw::gc
