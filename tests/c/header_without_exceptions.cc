// A program of all C++ headers, compiled without exceptions and run-time types.
#include <jackdaw/collector.h>
#include <jackdaw/cppgc.h>
#include <jackdaw/marker.h>

#include <vector>

#include "gc_allocator.h"
#include "gc_cpp.h"

namespace {

class Node : public jackdaw::GarbageCollected<Node> {
 public:
  explicit Node(Node* next) : next_(next) {}
  ~Node() { ++destroyed_; }
  void Trace(jackdaw::Visitor* visitor) const {
    visitor->Trace(next_);
    visitor->Trace(others_);
  }
  void note(Node* other) { others_->push_back(other); }

  static inline int destroyed_ = 0;

 private:
  jackdaw::Member<Node> next_;
  jackdaw::HeapVector<jackdaw::Member<Node>> others_;
};

struct Cell : gc {
  Cell* next = nullptr;
};

[[gnu::noinline]] void make_garbage() {
  for (int i = 0; i < 1000; ++i) jackdaw::MakeGarbageCollected<Node>(nullptr)->note(nullptr);
}

}  // namespace

int main() {
  GC_INIT();
  make_garbage();
  const jackdaw::Persistent<Node> kept(jackdaw::MakeGarbageCollected<Node>(nullptr));
  jackdaw::collect_garbage(jackdaw::StackState::holds_none);
  if (Node::destroyed_ == 0) return 1;

  jackdaw::WeakMap<Node, Node> map;
  map.set(kept.get(), kept.get());
  if (map.find(kept.get()) != kept.get()) return 2;

  const std::vector<Cell*, gc_allocator<Cell*>> cells(10, new Cell);
  if (GC_base(cells[0]) == nullptr) return 3;

  const auto type = jackdaw::TypeDescriptor::offsets(24, {1});
  jackdaw::Collector collector;
  jackdaw::Mutator mutator(collector);
  const jackdaw::Handle list(mutator);
  return mutator.allocate(type) == nullptr ? 4 : 0;
}
