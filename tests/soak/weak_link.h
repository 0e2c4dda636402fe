// WeakLink: a link that disappears when its graph's entry does, and what the model says of that.
#pragma once

#include <cstdint>
#include <memory>

#include "tests/soak/graph.h"

namespace jackdaw::soak {

/// Short links are cleared before the object's finalizer is called, long ones when the object itself goes.
enum class LinkKind : std::uint8_t { short_link, long_link };

/// A link in a word that the caller provides and that stays where it is: in memory that no collection scans,
/// or in an object of the heap. The word holds the inverted address. Used by one thread at a time.
class WeakLink {
 public:
  /// Registers the word as a link to the entry.
  WeakLink(LinkKind kind, void** word, const Held& held);

  /// Follows the link: what it leads to if the model, too, says that it is there. Fails when the link was
  /// cleared too early, or leads to something that is not whole.
  [[nodiscard]] Held follow() const;
  [[nodiscard]] bool is_cleared() const;
  /// Takes the registration back, if the link is not cleared.
  void unregister() const;

 private:
  LinkKind kind_;
  void** word_;
  std::weak_ptr<const Graph> graph_;
  FinalizerCalls finalizer_calls_;
  std::uint64_t identity_;
};

}  // namespace jackdaw::soak
