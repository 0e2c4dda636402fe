// A stopped thread may hold malloc's lock, so no collection may call malloc or free while threads are
// stopped: it would wait for ever. An executable of its own, because it replaces malloc, which sanitizers do
// not allow.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "jackdaw/cppgc.h"
#include "jackdaw/gc.h"

namespace {

// While both are true, only a collection runs.
std::atomic<bool> all_are_registered{false};
std::atomic<bool> threads_are_stopped{false};
std::atomic<std::uint64_t> calls_while_stopped{0};

void note_call() {
  if (all_are_registered.load() && threads_are_stopped.load()) calls_while_stopped.fetch_add(1);
}

}  // namespace

// The C library's own functions, for programs that replace the public ones, and the replacements.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void __libc_free(void* memory);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) {
  note_call();
  return __libc_malloc(bytes);
}
void free(void* memory) {
  if (memory != nullptr) note_call();
  __libc_free(memory);
}
void* calloc(std::size_t count, std::size_t bytes) {
  note_call();
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  note_call();
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  note_call();
  return __libc_memalign(alignment, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) { return aligned_alloc(alignment, bytes); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = aligned_alloc(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}

namespace jackdaw {
namespace {

constexpr std::size_t kThreads = 3;
constexpr int kRounds = 20;

struct Node : GarbageCollected<Node> {
  explicit Node(Node* next_node) : next(next_node) {}
  void Trace(Visitor* visitor) const { visitor->Trace(next); }
  Member<Node> next;
};

// A value that lives with its key; and something to destroy, not only to free.
struct Pair : GarbageCollected<Pair> {
  Pair(Node* key, Node* value, Pair* next_pair) : pair(key, value), weak(key), next(next_pair) {}
  ~Pair() { text.clear(); }
  void Trace(Visitor* visitor) const {
    visitor->Trace(pair);
    visitor->Trace(weak);
    visitor->Trace(next);
  }
  Ephemeron<Node, Node> pair;
  WeakMember<Node> weak;
  Member<Pair> next;
  std::string text = "longer than what a string has room for in itself";
};

struct Table : GarbageCollected<Table> {
  explicit Table(std::size_t length) : nodes(length) {}
  void Trace(Visitor* visitor) const {
    visitor->Trace(nodes);
    visitor->Trace(values);
  }
  HeapVector<Member<Node>> nodes;
  WeakMap<Node, Node> values;
};

// More nodes than a mark thread's queue has room for, and values of keys that live and of keys that die.
[[gnu::noinline]] Table* new_table() {
  constexpr std::size_t kNodes = 20'000;
  auto* const table = MakeGarbageCollected<Table>(kNodes);
  for (std::size_t i = 0; i < kNodes; ++i) {
    auto* const node = MakeGarbageCollected<Node>(nullptr);
    (*table->nodes)[i] = MakeGarbageCollected<Node>(node);
    if (i % 16 == 0) table->values.set(i % 32 == 0 ? node : MakeGarbageCollected<Node>(nullptr), node);
  }
  return table;
}

[[gnu::noinline]] Pair* new_pairs(Table& table) {
  Pair* pairs = nullptr;
  for (std::size_t i = 0; i < 1000; ++i) {
    Node* const key = i % 2 == 0 ? (*table.nodes)[i].get() : MakeGarbageCollected<Node>(nullptr);
    pairs = MakeGarbageCollected<Pair>(key, MakeGarbageCollected<Node>(key), pairs);
  }
  return pairs;
}

void ignore(void*, void*) {}

// Objects with finalizers of each order, and links to them.
[[gnu::noinline]] void drop_finalizable(std::vector<void*>& links) {
  for (void*& link : links) {
    auto* const object = static_cast<void**>(GC_malloc(24));
    *object = GC_malloc(16);
    link = object;
    const auto place = static_cast<std::size_t>(&link - links.data());
    switch (place % 4) {
      case 0:
        GC_register_finalizer(object, ignore, nullptr, nullptr, nullptr);
        break;
      case 1:
        GC_register_finalizer_ignore_self(object, ignore, nullptr, nullptr, nullptr);
        break;
      case 2:
        GC_register_finalizer_no_order(object, ignore, nullptr, nullptr, nullptr);
        break;
      default:
        GC_register_finalizer_unreachable(object, ignore, nullptr, nullptr, nullptr);
    }
    if (place % 8 < 4) {
      GC_general_register_disappearing_link(&link, object);
    } else {
      GC_register_long_link(&link, object);
    }
  }
}

// Uses all of the collector, and malloc, for a while.
void use_everything() {
  std::vector<void*> links(200);
  for (int round = 0; round < kRounds; ++round) {
    Persistent<Table> table(new_table());
    const Persistent<Pair> pairs(new_pairs(*table));
    const WeakPersistent<Table> weak(table.get());
    drop_finalizable(links);
    void* const uncollectable = GC_malloc_uncollectable(1000);
    GC_toggleref_add(GC_malloc(32), round % 2);
    ASSERT_NE(GC_malloc(1U << 20), nullptr);
    if (round % 4 == 0) GC_gcollect();
    GC_free(uncollectable);
    const std::vector<std::vector<int>> others(100, std::vector<int>(20));
    for (void*& link : links) {
      GC_unregister_disappearing_link(&link);
      GC_unregister_long_link(&link);
    }
  }
}

TEST(MallocLock, IsNotAskedForWhileThreadsAreStopped) {
  setenv("JACKDAW_MARKERS", "2", 1);
  GC_INIT();
  GC_set_java_finalization(1);
  GC_set_toggleref_func([](void*) { return GC_TOGGLE_REF_WEAK; });
  GC_set_on_collection_event([](GC_EventType type) {
    if (type == GC_EVENT_POST_STOP_WORLD) threads_are_stopped.store(true);
    if (type == GC_EVENT_PRE_START_WORLD) threads_are_stopped.store(false);
  });
  std::barrier all_wait(kThreads + 1);
  std::array<std::thread, kThreads> threads;
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      ASSERT_NE(GC_malloc(16), nullptr);  // registers it
      all_wait.arrive_and_wait();
      all_wait.arrive_and_wait();
      use_everything();
      all_wait.arrive_and_wait();
      all_wait.arrive_and_wait();
    });
  }
  all_wait.arrive_and_wait();
  all_are_registered.store(true);
  all_wait.arrive_and_wait();
  all_wait.arrive_and_wait();
  all_are_registered.store(false);
  all_wait.arrive_and_wait();
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(GC_get_gc_no(), kThreads * kRounds / 4);
  EXPECT_EQ(calls_while_stopped.load(), 0U);
}

}  // namespace
}  // namespace jackdaw
