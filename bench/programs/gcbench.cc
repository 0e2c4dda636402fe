// GCBench (gcbench.h) with precise types: the same work as gcbench.c, with nodes whose references are
// reported.
#include <cstddef>
#include <cstdint>
#include <new>

#include "gc/process/process_collector.h"
#include "jackdaw/cppgc.h"

// The classic node: two references and two numbers.
struct Node : jackdaw::GarbageCollected<Node> {
  void Trace(jackdaw::Visitor* visitor) const {
    visitor->Trace(left);
    visitor->Trace(right);
  }
  jackdaw::Member<Node> left;
  jackdaw::Member<Node> right;
  int level = 0;  // 0 in a leaf; what the check looks at
  int unused = 0;
};

#include "gcbench.h"

namespace {

using jackdaw::gc::CollectionEvent;
using jackdaw::gc::ProcessCollector;

// An array of numbers behind the object.
struct Array : jackdaw::GarbageCollectedLeaf<Array> {
  double* numbers() { return reinterpret_cast<double*>(this + 1); }
};
static_assert(sizeof(Array) <= sizeof(double));

void on_event(CollectionEvent event) {
  switch (event) {
    case CollectionEvent::before_stop:
      begin(&stops);
      break;
    case CollectionEvent::after_resume:
      end(&stops);
      break;
    case CollectionEvent::start:
      begin(&collections);
      break;
    case CollectionEvent::end:
      end(&collections);
      break;
    default:
      break;
  }
}

}  // namespace

static Node* allocate_node() try {
  return jackdaw::MakeGarbageCollected<Node>();
} catch (const std::bad_alloc&) {
  return nullptr;
}

static double* allocate_array(std::size_t length) try {
  return jackdaw::MakeGarbageCollected<Array>(jackdaw::AdditionalBytes(length * sizeof(double)))->numbers();
} catch (const std::bad_alloc&) {
  return nullptr;
}

static std::uint64_t collections_so_far() { return ProcessCollector::instance().collections(); }
static int mark_threads() { return static_cast<int>(ProcessCollector::instance().mark_threads()); }
static std::uint64_t heap_bytes() { return ProcessCollector::instance().heap().chunk_bytes(); }
static void print_version() {}  // there is no libgc for these types
static void start_collector() { ProcessCollector::instance().hooks().event = on_event; }

int main(int, char** argv) { return run_gcbench(argv); }
