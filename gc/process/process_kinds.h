// ProcessKinds: the kinds of objects that the process's heap always has.
#pragma once

#include <array>
#include <cstdint>

#include "gc/marking/layout_word.h"
#include "heap/kind.h"

namespace jackdaw::gc {

/// The first kinds of the process's heap by number (heap::KindNumber).
struct ProcessKinds {
  using Number = heap::KindNumber;
  static constexpr Number kWords = Number::words;  ///< any word may be an address
  static constexpr Number kData = Number{3};       ///< no address; not cleared
  static constexpr Number kUncollectableWords = Number{4};
  static constexpr Number kUncollectableData = Number{5};
  static constexpr Number kTyped = Number{6};      ///< the last word is the LayoutWord of the object
  static constexpr Number kTraced = Number{7};     ///< C++ types: the first word leads to a TraceDescriptor
  static constexpr Number kDestroyed = Number{8};  ///< C++ types that have a destructor to call

  /// The properties of these kinds from number 3 on, in the order in which they are added.
  static constexpr std::array<heap::Kind, 6> kAdded = {{
      {.contents = heap::Contents::data, .is_cleared = false},
      {.contents = heap::Contents::words, .is_collectable = false},
      {.contents = heap::Contents::data, .is_cleared = false, .is_collectable = false},
      {.contents = heap::Contents::by_kind,
       .layout = LayoutWord::in_last_word().bits(),
       .layout_adds_bytes = true},
      {.contents = heap::Contents::by_kind, .layout = LayoutWord::traced().bits()},
      {.contents = heap::Contents::by_kind, .layout = LayoutWord::traced().bits()},
  }};
};

}  // namespace jackdaw::gc
