#include "tests/soak/weak_link.h"

namespace jackdaw::soak {

namespace {

// Under the collector's lock, both: it clears links while that is held.
void* read_link(void* word) {
  const auto hidden = reinterpret_cast<GC_hidden_pointer>(*static_cast<void**>(word));
  return hidden != 0 ? GC_REVEAL_POINTER(hidden) : nullptr;
}

// Without the address, which would be left in the caller's registers.
void* is_set(void* word) { return *static_cast<void**>(word) != nullptr ? word : nullptr; }

}  // namespace

WeakLink::WeakLink(LinkKind kind, void** word, const Held& held)
    : kind_(kind),
      word_(word),
      graph_(held.graph()),
      finalizer_calls_(held.graph()->finalizer_calls()),
      identity_(held.graph()->identity()) {
  const auto hidden = GC_HIDE_POINTER(held.entry());
  *word = reinterpret_cast<void*>(hidden);  // NOLINT(performance-no-int-to-ptr)
  const int result = kind == LinkKind::short_link ? GC_general_register_disappearing_link(word, held.entry())
                                                  : GC_register_long_link(word, held.entry());
  check(result == GC_SUCCESS, "a link was not registered", identity_, static_cast<std::uint64_t>(result));
  count(tally.links);
}

Held WeakLink::follow() const {
  auto* const entry = static_cast<Node*>(GC_call_with_alloc_lock(read_link, word_));
  if (entry == nullptr) {
    check(graph_.expired(), "a link to a live object was cleared", identity_);
    // Relaxed: the collector's lock orders it.
    check(kind_ == LinkKind::short_link || finalizer_calls_ == nullptr ||
              finalizer_calls_->load(std::memory_order_relaxed) == 1,
          "a long link was cleared before the finalizer was called", identity_);
    count(tally.links_cleared);
    return {};
  }
  check(identity_of(entry) == identity_, "a link leads to another object", identity_, identity_of(entry));
  Held held(entry, graph_.lock());
  check_intact(entry);
  return held;
}

bool WeakLink::is_cleared() const { return GC_call_with_alloc_lock(is_set, word_) == nullptr; }

void WeakLink::unregister() const {
  if (kind_ == LinkKind::short_link) {
    GC_unregister_disappearing_link(word_);
  } else {
    GC_unregister_long_link(word_);
  }
}

}  // namespace jackdaw::soak
