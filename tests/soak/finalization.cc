#include "tests/soak/finalization.h"

#include "jackdaw/gc.h"
#include "jackdaw/javaxfc.h"

#include <algorithm>
#include <array>

namespace jackdaw::soak {

namespace {

using Register = void (*)(void*, GC_finalization_proc, void*, GC_finalization_proc*, void**);

struct Kind {
  Register register_finalizer;
  bool has_edge_to_itself;
};

// A finalizer that waits for the objects that refer to its object would wait for ever if that is the object
// itself.
constexpr std::array<Kind, kFinalizerKinds> kKinds{{
    {GC_register_finalizer, false},
    {GC_register_finalizer_ignore_self, true},
    {GC_register_finalizer_no_order, true},
    {GC_register_finalizer_unreachable, false},
}};

// Called without a lock, by whichever thread asks for finalizers. All that the object leads to is still
// there.
void finalize(void* object, void* data) {
  auto* const entry = static_cast<Node*>(object);
  check_intact(entry);
  check(entry->finalizations == 0, "a finalizer was called again", identity_of(entry));
  entry->finalizations = 1;
  const std::unique_ptr<const Finalization> finalization(static_cast<const Finalization*>(data));
  check(finalization->graph.expired(), "a live object was finalized", identity_of(entry));
  // Relaxed: the collector's lock orders it before the end of a long link.
  check(finalization->calls->fetch_add(1, std::memory_order_relaxed) == 0, "a finalizer was called twice",
        identity_of(entry));
  constexpr std::size_t kMostChecked = 64;
  check_reachable(entry, kMostChecked);
  for (int i = 0; i < 4; ++i) GC_MALLOC(sizeof(Node));
  count(tally.finalized[finalization->kind]);
}

}  // namespace

Finalization* finalization_by_chance(Random& random, Node* entry) {
  if (!random.once_in(3)) return nullptr;
  const std::size_t kind = random.below(kFinalizerKinds);
  const auto edges = entry->edges();
  const auto free = std::ranges::find(edges, std::uintptr_t{0});
  if (kKinds[kind].has_edge_to_itself && free != edges.end()) *free = edge_to(entry, 0);
  return new Finalization{kind, std::make_shared<std::atomic<std::uint64_t>>(0), {}};
}

void register_finalizer(Node* entry, Finalization* finalization, const Reference& graph) {
  finalization->graph = graph;
  count(tally.finalizers[finalization->kind]);
  kKinds[finalization->kind].register_finalizer(entry, finalize, finalization, nullptr, nullptr);
}

void invoke_finalizers() { GC_invoke_finalizers(); }

}  // namespace jackdaw::soak
