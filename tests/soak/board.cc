#include "tests/soak/board.h"

#include <utility>

namespace jackdaw::soak {

Board::Board() : entries_(static_cast<Node**>(GC_MALLOC_UNCOLLECTABLE(kPlaces * sizeof(Node*)))) {
  check(entries_ != nullptr, "there is no memory to begin with");
}

Board::~Board() { GC_FREE(entries_); }

Held Board::look_at(std::size_t place) {
  const std::lock_guard lock(places_[place].mutex);
  return {entries_[place], places_[place].graph};
}

Held Board::exchange(std::size_t place, const Held& held) {
  const std::lock_guard lock(places_[place].mutex);
  Held before(entries_[place], std::move(places_[place].graph));
  entries_[place] = held.entry();
  places_[place].graph = held.graph();
  return before;
}

}  // namespace jackdaw::soak
