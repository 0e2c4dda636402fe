#include "tests/soak/worker.h"

#include "jackdaw/gc.h"

#include <utility>

#include "tests/soak/finalization.h"

namespace jackdaw::soak {

Worker::Worker(Board& board, std::uint64_t seed)
    : board_(board),
      random_(seed),
      graphs_(kOnStack),
      short_words_(static_cast<void**>(GC_MALLOC(kMostLinks * sizeof(void*)))) {
  check(short_words_ != nullptr, "there is no memory for a thread's links");
  count(tally.threads);
}

// The model's references are dropped first; the stack, and with it the real references, lasts longer.
Worker::~Worker() {
  while (!anchors_.empty()) free_oldest_anchor();
  // Half of the threads leave their links to go with the objects that they lie in.
  if (random_.once_in(2)) {
    for (const std::optional<WeakLink>& link : short_links_) {
      if (link) link->unregister();
    }
  }
  graphs_.clear();
  GC_reachable_here(in_heap_);
  GC_reachable_here(short_words_);
  GC_reachable_here(on_stack_.data());
}

void Worker::do_round() {
  struct Action {
    unsigned weight;
    void (Worker::*action)();
  };
  static constexpr std::array<Action, 11> kActions{{{10, &Worker::build},
                                                    {1, &Worker::build_and_free},
                                                    {4, &Worker::share},
                                                    {4, &Worker::drop},
                                                    {1, &Worker::grow_roots},
                                                    {1, &Worker::anchor},
                                                    {2, &Worker::link_weakly},
                                                    {2, &Worker::link_lastingly},
                                                    {2, &Worker::follow_short_link},
                                                    {2, &Worker::follow_long_link},
                                                    {3, &Worker::allocate_briefly}}};
  constexpr unsigned kWeights = 32;
  std::uint64_t choice = random_.below(kWeights);
  const Action* chosen = kActions.data();
  while (choice >= chosen->weight) choice -= (chosen++)->weight;
  (this->*chosen->action)();
  if (random_.once_in(64)) invoke_finalizers();
  if (random_.once_in(std::uint64_t{1} << 16)) GC_gcollect();
  count(tally.rounds);
}

void Worker::check_roots() {
  for (std::size_t place = 0; place < graphs_.size(); ++place) {
    const Held root = root_at(place);
    if (root) root.graph()->check_real(root.entry());
  }
  for (const Anchor& anchor : anchors_) {
    Node* const entry = *static_cast<Node**>(GC_REVEAL_POINTER(anchor.object));
    anchor.graph->check_real(entry);
  }
}

std::vector<Held> Worker::some_roots() {
  constexpr int kSome = 3;
  std::vector<Held> roots;
  for (int i = 0; i < kSome; ++i) {
    const std::size_t place = any_place();
    if (graphs_[place] != nullptr) roots.push_back(root_at(place));
  }
  return roots;
}

void Worker::build() {
  const Held built = builder_.build(some_roots());
  if (built) put_root(built);
}

// Each node is reached from one that comes before it: so none goes before it is freed.
void Worker::build_and_free() {
  std::vector<HiddenNode> nodes;
  Node* entry = nullptr;
  {
    const Held built = builder_.build(some_roots(), false);
    if (!built) return;
    entry = built.entry();
    for (const NodeModel& node : built.graph()->nodes()) nodes.push_back(node.node);
  }
  for (; !nodes.empty(); nodes.pop_back()) free_node(nodes.back().reveal());
  GC_reachable_here(entry);
}

void Worker::share() {
  const std::size_t place = random_.below(Board::kPlaces);
  if (random_.once_in(2)) {
    const Held found = board_.look_at(place);
    if (found) put_root(found);
  } else {
    const Held before = board_.exchange(place, root_at(any_place()));
    if (before && random_.once_in(16)) before.graph()->check_real(before.entry());
  }
}

void Worker::drop() { put_root({}); }

// The places in the heap are an object that grows.
void Worker::grow_roots() {
  if (graphs_.size() == kMostRoots) return;
  const std::size_t more = graphs_.size() + 1 - kOnStack;
  auto* const grown = static_cast<Node**>(GC_REALLOC(in_heap_, more * sizeof(Node*)));
  if (grown == nullptr) return;
  in_heap_ = grown;
  in_heap_[more - 1] = nullptr;
  graphs_.emplace_back();
}

void Worker::anchor() {
  const Held held = root_at(any_place());
  if (!held) return;
  if (anchors_.size() == kMostAnchors) free_oldest_anchor();
  auto** const object = static_cast<Node**>(GC_MALLOC_UNCOLLECTABLE(sizeof(Node*)));
  if (object == nullptr) return;
  *object = held.entry();
  anchors_.push_back({GC_HIDE_POINTER(object), held.graph()});
}

void Worker::free_oldest_anchor() {
  anchors_.front().graph.reset();
  GC_FREE(GC_REVEAL_POINTER(anchors_.front().object));
  anchors_.pop_front();
}

void Worker::link_weakly() {
  const Held held = root_at(any_place());
  const std::size_t slot = random_.below(kMostLinks);
  if (held && !short_links_[slot])
    short_links_[slot].emplace(LinkKind::short_link, short_words_ + slot, held);
}

void Worker::link_lastingly() {
  const Held held = root_at(any_place());
  if (!held || long_links_.size() == kMostLinks) return;
  auto word = std::make_unique<void*>(nullptr);
  const WeakLink link(LinkKind::long_link, word.get(), held);
  long_links_.push_back({std::move(word), link});
}

// Now and then what a short link leads to becomes a root again, if it is one of the model's.
void Worker::follow_short_link() {
  std::optional<WeakLink>& link = short_links_[random_.below(kMostLinks)];
  if (!link) return;
  const Held held = link->follow();
  if (held) held.graph()->check_real(held.entry());
  if (held && random_.once_in(8)) put_root(held);
  if (link->is_cleared()) link.reset();
}

void Worker::follow_long_link() {
  if (long_links_.empty()) return;
  LastingLink& followed = long_links_[random_.below(long_links_.size())];
  const Held held = followed.link.follow();
  if (!followed.link.is_cleared()) return;
  std::swap(followed, long_links_.back());
  long_links_.pop_back();
}

void Worker::allocate_briefly() {
  for (int i = 0; i < 16; ++i) {
    auto* const bytes = static_cast<char*>(GC_MALLOC(1 + random_.below(512)));
    if (bytes != nullptr && random_.once_in(2)) GC_FREE(bytes);
  }
}

}  // namespace jackdaw::soak
