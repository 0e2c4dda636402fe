// Objects marked while the program runs: threads change their graphs in all ways that might hide an object
// from the markers, beside a model, out of the collector's sight, that knows what must be there.
#include "gc/process/concurrent/concurrent_marking.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jackdaw/gc.h"
#include "jackdaw/gc_typed.h"
#include "mark/random_numbers.h"
#include "tests/gc/process/concurrent/concurrent_program.h"
#include "tests/gc/process/hidden_lists.h"
#include "tests/heap/contents.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

constexpr std::size_t kThreads = 3;
constexpr std::size_t kRoots = 48;
constexpr std::size_t kBoardSlots = 32;
constexpr std::size_t kLinks = 6;
constexpr std::size_t kHeaderWords = 2 + kLinks;  // the key, bytes, and links
constexpr std::size_t kMostNodes = 6000;
constexpr std::uint64_t kMostDepth = 12;

std::uint64_t* words_of(void* object) { return static_cast<std::uint64_t*>(object); }
void** links_of(void* object) { return static_cast<void**>(object) + 2; }

// Calls `function(index)` for the words of a pattern: all, or of long ones some.
template <typename Function>
void for_each_pattern_word(std::size_t bytes, Function function) {
  const std::size_t words = bytes / heap::kWordBytes;
  for (std::size_t i = kHeaderWords; i < words; i += i < 4096 ? 1 : 509) function(i);
}
void fill(void* object, std::uint64_t key, std::size_t bytes) {
  words_of(object)[0] = key;
  words_of(object)[1] = bytes;
  for_each_pattern_word(bytes, [&](std::size_t i) { words_of(object)[i] = heap::content_word(key, i); });
}
bool is_intact(void* object, std::uint64_t key, std::size_t bytes) {
  bool intact = words_of(object)[0] == key && words_of(object)[1] == bytes;
  for_each_pattern_word(
      bytes, [&](std::size_t i) { intact = intact && words_of(object)[i] == heap::content_word(key, i); });
  return intact;
}

// Chains of objects that no longer change: any thread may link to them. The first link leads on; the words
// after it are the next one's key, and how many follow.
constexpr std::size_t kNextKey = 4;
constexpr std::size_t kDepth = 5;

bool is_intact_chain(void* object, std::uint64_t key) {
  while (object != nullptr) {
    if (!is_intact(object, key, words_of(object)[1])) return false;
    key = words_of(object)[kNextKey];
    object = links_of(object)[0];
  }
  return true;
}

// The only roots, in static data: the threads' tables, and where threads find each other's objects.
std::array<void**, kThreads> tables;
void** board;
std::mutex board_mutex;

// ---- The model ----

struct Node {
  std::uintptr_t hidden = 0;
  std::uint64_t key = 0;
  std::size_t bytes = 0;
  std::array<Node*, kLinks> links{};
  std::uint32_t references = 0;  // from places of the model, also of nodes that nothing leads to
  bool is_chain = false;
  bool may_resize = false;
  std::uint32_t visited = 0;
  void* weak = nullptr;  // a disappearing link, the address hidden

  [[nodiscard]] void* object() const {
    return reinterpret_cast<void*>(~hidden);  // NOLINT(performance-no-int-to-ptr)
  }
  void set_object(void* object) { hidden = ~reinterpret_cast<std::uintptr_t>(object); }
  void watch() {
    weak = reinterpret_cast<void*>(hidden);  // NOLINT(performance-no-int-to-ptr)
    GC_general_register_disappearing_link(&weak, object());
  }
  void unwatch() {
    if (std::exchange(weak, nullptr) != nullptr) GC_unregister_disappearing_link(&weak);
  }
};

// A forked child's result instead of a failure.
struct Verdict {
  std::uint64_t lost = 0;     // contents
  std::uint64_t cleared = 0;  // weak links to live objects
};

class Worker {
 public:
  Worker(std::size_t number, std::uint64_t seed) : number_(number), seed_(seed), random_(seed) {
    // Odd ones have roots that nothing leads to, and that no collection frees.
    const std::size_t bytes = kRoots * sizeof(void*);
    void* const table = number % 2 == 0 ? GC_malloc(bytes) : GC_malloc_uncollectable(bytes);
    if (number % 2 == 0) {
      tables[number] = static_cast<void**>(table);
    } else {
      hidden_table_ = ~reinterpret_cast<std::uintptr_t>(table);
    }
  }

  void run(std::size_t operations) {
    for (std::size_t i = 1; i <= operations; ++i) {
      operate();
      if (i % 5000 == 0) check_all(i);
      if (i % (operations / 3) == operations / 6) fork_child(i);
    }
  }
  // Leaves a part of it to the collections that follow, all watched.
  void drop_most() {
    for_each_reachable([](Node& node) {
      if (!node.is_chain && node.weak == nullptr) node.watch();
    });
    for (std::size_t i = 0; i < kRoots; i += 1) {
      if (i % 8 != 0) set({nullptr, i}, nullptr);
    }
    forget_unreachable(true);
  }
  void drop_all() {
    for (std::size_t i = 0; i < kRoots; ++i) set({nullptr, i}, nullptr);
    forget_unreachable(false);
  }

  [[nodiscard]] Verdict verify() {
    Verdict verdict;
    for_each_reachable([&](Node& node) {
      void* const object = node.object();
      bool intact =
          node.is_chain ? is_intact_chain(object, node.key) : is_intact(object, node.key, node.bytes);
      for (std::size_t link = 0; link < kLinks && !node.is_chain; ++link)
        intact = intact && links_of(object)[link] == object_of(node.links[link]);
      if (!intact) ++verdict.lost;
      if (was_watched(node) && node.weak == nullptr) ++verdict.cleared;
    });
    return verdict;
  }
  [[nodiscard]] std::size_t dropped() const { return dropped_.size(); }
  [[nodiscard]] std::size_t dropped_but_there() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(dropped_, [](const auto& node) { return node->weak != nullptr; }));
  }

 private:
  // A root, or a link of a node.
  struct Place {
    Node* node;
    std::size_t index;
  };

  [[nodiscard]] static bool was_watched(const Node& node) { return !node.is_chain && node.key % 8 == 0; }
  static void* object_of(const Node* node) { return node == nullptr ? nullptr : node->object(); }
  Node*& model_at(Place place) {
    return place.node == nullptr ? roots_[place.index] : place.node->links[place.index];
  }
  void*& real_at(Place place) {
    if (place.node != nullptr) return links_of(place.node->object())[place.index];
    if (tables[number_] != nullptr) return tables[number_][place.index];
    return reinterpret_cast<void**>(~hidden_table_)[place.index];  // NOLINT(performance-no-int-to-ptr)
  }
  void set(Place place, Node* target) {
    if (target != nullptr) ++target->references;
    Node*& model = model_at(place);
    if (model != nullptr) --model->references;
    model = target;
    real_at(place) = object_of(target);
  }

  // Deep in the graph, mostly: old objects.
  Place random_place() {
    Place place{nullptr, random_.below(kRoots)};
    for (std::uint32_t steps = random_.below(12); steps > 0; --steps) {
      Node* const node = model_at(place);
      if (node == nullptr || node->is_chain) break;
      place = {node, random_.below(kLinks)};
    }
    return place;
  }

  std::size_t random_bytes() {
    const std::uint32_t of_1000 = random_.below(1000);
    const std::size_t header = kHeaderWords * heap::kWordBytes;
    if (of_1000 < 800) return header + random_.below(400);
    if (of_1000 < 985) return header + random_.below(4000);
    if (of_1000 < 998 || random_.below(400) != 0) return header + random_.below(60'000);
    return heap::kChunkBytes + random_.below(1 << 20);
  }
  void* allocate_object(std::size_t bytes, bool& may_resize) {
    may_resize = random_.below(4) != 0;
    if (may_resize) return GC_malloc(bytes);
    const std::array<GC_word, 1> bitmap{((GC_word{1} << kLinks) - 1) << 2};
    static const GC_descr layout = GC_make_descriptor(bitmap.data(), kHeaderWords);
    return GC_malloc_explicitly_typed(bytes, layout);
  }

  void operate() {
    const std::uint32_t what = random_.below(100);
    if (what < 35) {
      allocate(random_place());
    } else if (what < 60) {
      move(random_place(), random_place());
    } else if (what < 75) {
      swap(random_place(), random_place());
    } else if (what < 82) {
      set(random_place(), model_at(random_place()));
    } else if (what < 86) {
      set(random_place(), nullptr);
    } else if (what < 89) {
      free(random_place());
    } else if (what < 92) {
      resize(random_place());
    } else if (what < 96) {
      publish();
    } else {
      take_published(random_place());
    }
  }
  Node* add_node(void* object, std::uint64_t key, std::size_t bytes) {
    nodes_.push_back(std::make_unique<Node>());
    Node* const node = nodes_.back().get();
    node->set_object(object);
    node->key = key;
    node->bytes = bytes;
    return node;
  }
  void allocate(Place place) {
    const std::size_t bytes = random_bytes();
    bool may_resize = false;
    void* const object = allocate_object(bytes, may_resize);
    if (object == nullptr) std::abort();
    Node* const node = add_node(object, random_.next(), bytes);
    node->may_resize = may_resize;
    fill(object, node->key, bytes);
    // The object there before is linked to by the new one, or from now on only by it.
    for (std::size_t link = 0; link < 2; ++link) set({node, link}, model_at(random_place()));
    set({node, 2}, model_at(place));
    if (was_watched(*node)) node->watch();
    set(place, node);
    GC_reachable_here(object);
  }
  // The only reference, perhaps, from one object to another. Nothing else may lead to the one when the other
  // has it.
  void move(Place from, Place to) {
    Node* const target = model_at(from);
    void* const owner = object_of(from.node);
    set(to, target);
    if (from.node != to.node || from.index != to.index) set(from, nullptr);
    GC_reachable_here(owner);
  }
  void swap(Place one, Place other) {
    Node* const target = model_at(one);
    void* const object = object_of(target);
    void* const owner = object_of(other.node);
    set(one, model_at(other));
    set(other, target);
    GC_reachable_here(object);
    GC_reachable_here(owner);
  }
  Node* only_reference_at(Place place) {
    Node* const node = model_at(place);
    return node == nullptr || node->is_chain || node->references != 1 ? nullptr : node;
  }
  void free(Place place) {
    Node* const node = only_reference_at(place);
    if (node == nullptr || node == place.node) return;
    node->unwatch();
    for (std::size_t link = 0; link < kLinks; ++link) set({node, link}, nullptr);
    void* const object = node->object();
    set(place, nullptr);
    GC_free(object);
    std::erase_if(nodes_, [node](const auto& other) { return other.get() == node; });
  }
  void resize(Place place) {
    Node* const node = only_reference_at(place);
    if (node == nullptr || !node->may_resize || node == place.node) return;
    node->unwatch();
    node->bytes = random_bytes();
    void* const object = GC_realloc(node->object(), node->bytes);
    if (object == nullptr) std::abort();
    node->set_object(object);
    fill(object, node->key, node->bytes);
    real_at(place) = object;
    if (was_watched(*node)) node->watch();
  }
  void publish() {
    const std::size_t slot = random_.below(kBoardSlots);
    const std::size_t bytes = kHeaderWords * heap::kWordBytes + random_.below(1000);
    void* const object = GC_malloc(bytes);
    if (object == nullptr) std::abort();
    fill(object, random_.next() >> 8 << 8, bytes);
    const std::lock_guard lock(board_mutex);
    void* const next = board[random_.below(kBoardSlots)];
    const std::uint64_t depth = next == nullptr ? 0 : words_of(next)[kDepth] + 1;
    words_of(object)[kDepth] = depth % kMostDepth;
    if (depth % kMostDepth != 0) {
      links_of(object)[0] = next;
      words_of(object)[kNextKey] = words_of(next)[0];
    }
    board[slot] = object;
  }
  void take_published(Place place) {
    const std::lock_guard lock(board_mutex);
    void* const object = board[random_.below(kBoardSlots)];
    if (object == nullptr) return;
    Node* const node = add_node(object, words_of(object)[0], 0);
    node->is_chain = true;
    set(place, node);
  }

  template <typename Function>
  void for_each_reachable(Function function) {
    ++round_;
    std::vector<Node*> waiting;
    const auto visit = [&](Node* node) {
      if (node != nullptr && std::exchange(node->visited, round_) != round_) waiting.push_back(node);
    };
    for (Node* const root : roots_) visit(root);
    while (!waiting.empty()) {
      Node* const node = waiting.back();
      waiting.pop_back();
      function(*node);
      for (Node* const next : node->links) visit(next);
    }
  }
  std::size_t forget_unreachable(bool keeps_watched) {
    std::size_t reachable = 0;
    for_each_reachable([&](Node&) { ++reachable; });
    for (const auto& node : nodes_) {
      if (node->visited == round_) continue;
      for (Node*& link : node->links) {
        if (link != nullptr) --link->references;
        link = nullptr;
      }
    }
    std::erase_if(nodes_, [&](std::unique_ptr<Node>& node) {
      if (node->visited == round_) return false;
      if (keeps_watched && node->weak != nullptr) {
        dropped_.push_back(std::move(node));
      } else {
        node->unwatch();
      }
      return true;
    });
    return reachable;
  }
  void check_all(std::size_t operation) {
    const Verdict verdict = verify();
    if (verdict.lost != 0 || verdict.cleared != 0) {
      ADD_FAILURE() << "seed " << seed_ << ", operation " << operation << ": " << verdict.lost
                    << " objects overwritten, " << verdict.cleared << " weak links cleared";
      std::abort();  // what is to come would be noise
    }
    if (forget_unreachable(false) > kMostNodes) {
      for (std::size_t i = 0; i < kRoots; i += 2) set({nullptr, i}, nullptr);
    }
  }
  // The child goes on with what it has, alone.
  void fork_child(std::size_t operation) {
    // The sanitizers' own allocators (LLVM 14) are not locked for a fork: where another thread is in one, the
    // child waits for ever at its first malloc.
    if (mark::kSanitized) return;
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
      Verdict verdict = verify();
      bool is_well = verdict.lost == 0 && verdict.cleared == 0;
      for (std::size_t i = 0; i < 4000; ++i) allocate(random_place());
      GC_gcollect();
      verdict = verify();
      is_well = is_well && verdict.lost == 0 && verdict.cleared == 0;
      _exit(is_well ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "seed " << seed_ << ", operation " << operation;
  }

  const std::size_t number_;
  const std::uint64_t seed_;
  mark::RandomNumbers random_;
  std::uintptr_t hidden_table_ = 0;
  std::array<Node*, kRoots> roots_{};
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Node>> dropped_;
  std::uint32_t round_ = 0;
};

std::size_t lines_with(const std::string& path, const std::string& text) {
  std::ifstream log(path);
  std::size_t count = 0;
  for (std::string line; std::getline(log, line);) count += line.find(text) != std::string::npos ? 1 : 0;
  return count;
}

template <typename Function>
void in_threads(Function function) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) threads.emplace_back([=] { function(i); });
  collector().threads().call_blocked(join_all, &threads);
}

TEST(ConcurrentMarking, NothingLiveIsLostAndNothingDeadStays) {
  if (!tracks_writes()) GTEST_SKIP() << "the system does not tell what was written";
  const std::string log = testing::TempDir() + "concurrent_marking_" + std::to_string(getpid());
  setenv("JACKDAW_CONCURRENT", "1", 1);
  setenv("JACKDAW_PAUSE_MS", "0", 1);
  setenv("JACKDAW_MINIMUM_BUDGET", "256k", 1);
  setenv("JACKDAW_FREE_SPACE_DIVISOR", "40", 1);
  setenv("JACKDAW_LOG", "1", 1);
  setenv("JACKDAW_LOG_FILE", log.c_str(), 1);
  GC_INIT();
  const char* const given = std::getenv("JACKDAW_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  board = static_cast<void**>(GC_malloc(kBoardSlots * sizeof(void*)));
  std::array<std::unique_ptr<Worker>, kThreads> workers;
  in_threads([&workers, seed](std::size_t i) {
    workers[i] = std::make_unique<Worker>(i, seed * kThreads + i);
    workers[i]->run(mark::scaled(90'000));
    workers[i]->drop_most();
  });
  EXPECT_GT(lines_with(log, "concurrent_ms="), 2U);
  GC_gcollect();
  GC_gcollect();
  for (const auto& worker : workers) {
    const Verdict verdict = worker->verify();
    EXPECT_EQ(verdict.lost, 0U);
    EXPECT_EQ(verdict.cleared, 0U);
    EXPECT_LE(worker->dropped_but_there(), worker->dropped() / 10) << "seed " << seed;
  }
  in_threads([&workers](std::size_t i) { workers[i]->drop_all(); });
  std::fill_n(board, kBoardSlots, nullptr);
  GC_gcollect();
  GC_gcollect();
  EXPECT_LT(collector().counters().live_bytes(), 1U << 20);
  unlink(log.c_str());
}

}  // namespace
}  // namespace jackdaw::gc
