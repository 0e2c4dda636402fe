// Procedures that are asked of dead objects, and objects that are finalized by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "gc/c/kinds.h"
#include "gc/process/threads/thread_registry.h"
#include "tests/gc/c/hidden.h"
#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

// ---- GC_finalized_malloc ----

struct Node {
  GC_word magic;
  Node* next;
};
constexpr GC_word kMagic = 0x6d61676963;

std::size_t finalized = 0;
std::size_t finalized_with_next = 0;
void* last_data = nullptr;

void finalize(void* object, void* data) {
  EXPECT_FALSE(lock_is_free());
  EXPECT_NE(GC_base(object), nullptr);
  auto* const node = static_cast<Node*>(object);
  EXPECT_EQ(node->magic, kMagic);
  if (node->next != nullptr) {
    EXPECT_EQ(node->next->magic, kMagic);
    ++finalized_with_next;
  }
  node->magic = 0;
  last_data = data;
  ++finalized;
}

int data_of_all = 0;
constexpr GC_finalizer_closure kClosure{finalize, &data_of_all};

Node* new_node(Node* next, std::size_t bytes = sizeof(Node),
               const GC_finalizer_closure* closure = &kClosure) {
  auto* const node = static_cast<Node*>(GC_finalized_malloc(bytes, closure));
  *node = {kMagic, next};
  GC_reachable_here(node);  // otherwise the compiler leaves out unread stores
  return node;
}

class FinalizedObjects : public testing::Test {
 protected:
  void SetUp() override { GC_init_finalized_malloc(); }
};

TEST_F(FinalizedObjects, AreFinalizedOnceAndFreed) {
  for (const std::size_t bytes : Sizes{sizeof(Node), 100, 5000, 100'000}) {
    finalized = 0;
    const HiddenObjects nodes = hidden_objects([bytes] { return new_node(nullptr, bytes); });
    collect_cleanly();
    EXPECT_GE(finalized, kMany - kFew);
    EXPECT_EQ(last_data, &data_of_all);
    collect_cleanly();
    EXPECT_LE(finalized, kMany);
    EXPECT_LE(nodes.still_there(), 2 * kFew);
  }
}

TEST_F(FinalizedObjects, LiveWhileTheyAreReferredTo) {
  auto** const table = static_cast<Node**>(GC_malloc(kMany * sizeof(Node*)));
  for (std::size_t i = 0; i < kMany; ++i) table[i] = new_node(nullptr);
  collect_cleanly();
  EXPECT_EQ(finalized, 0U);
  EXPECT_TRUE(std::all_of(table, table + kMany, [](const Node* node) { return node->magic == kMagic; }));
}

TEST_F(FinalizedObjects, KeepWhatTheyReferToAndTheirClosure) {
  hidden_objects([] {
    auto* const closure = static_cast<GC_finalizer_closure*>(GC_malloc_atomic(sizeof kClosure));
    *closure = kClosure;
    auto* const next = static_cast<Node*>(GC_malloc(sizeof(Node)));
    *next = {kMagic, nullptr};
    return new_node(next, sizeof(Node), closure);
  });
  collect_cleanly();
  EXPECT_GE(finalized_with_next, kMany - kFew);
}

TEST_F(FinalizedObjects, InAChainGoOneACollection) {
  hidden_objects([] { return new_node(new_node(nullptr)); });
  collect_cleanly();
  EXPECT_GE(finalized, kMany - kFew);
  EXPECT_LE(finalized, kMany);
  EXPECT_EQ(finalized_with_next, finalized);
  collect_cleanly();
  EXPECT_GE(finalized, 2 * (kMany - kFew));
}

TEST_F(FinalizedObjects, DoNotKeepThemselves) {
  hidden_objects([] {
    Node* const node = new_node(nullptr);
    return node->next = node;
  });
  collect_cleanly();
  EXPECT_GE(finalized, kMany - kFew);
}

TEST_F(FinalizedObjects, GiveTheirMemoryToOthersOnce) {
  hidden_objects([] { return new_node(nullptr); });
  collect_cleanly();
  ASSERT_GE(finalized, kMany - kFew);
  auto** const table = static_cast<Node**>(GC_malloc(4 * kMany * sizeof(Node*)));
  std::set<Node*> all;
  for (std::size_t i = 0; i < 4 * kMany; ++i) {
    Node* const node = table[i] = static_cast<Node*>(GC_finalized_malloc(sizeof(Node), &kClosure));
    EXPECT_EQ(node->magic, 0U);
    *node = {kMagic, nullptr};
    all.insert(node);
    if (i % kMany == 0) GC_gcollect();
  }
  EXPECT_EQ(all.size(), 4 * kMany);
}

TEST(FinalizedObjectsWithDisplacements, AreKnownByWhatWasReturned) {
  GC_set_all_interior_pointers(0);
  GC_init_finalized_malloc();
  auto** const table = static_cast<Node**>(GC_malloc(kMany * sizeof(Node*)));
  const HiddenObjects closures = hidden_objects([table, next = std::size_t{0}]() mutable {
    auto* const closure = static_cast<GC_finalizer_closure*>(GC_malloc_atomic(sizeof kClosure));
    *closure = kClosure;
    table[next++] = new_node(nullptr, sizeof(Node), closure);
    return closure;
  });
  collect_cleanly();
  EXPECT_EQ(finalized, 0U);
  EXPECT_EQ(closures.still_there(), kMany);
  GC_reachable_here(table);
}

TEST(FinalizedObjectsDeathTest, NeedTheirBeginning) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(static_cast<void>(GC_finalized_malloc(16, &kClosure)), "needs GC_init_finalized_malloc");
}

// ---- GC_register_disclaim_proc ----

struct Record {
  GC_word magic;
  void* referent;
};

std::vector<void*>& asked() {
  static std::vector<void*> all;
  return all;
}
bool keeps = false;

int ask(void* object) {
  EXPECT_FALSE(lock_is_free());
  EXPECT_EQ(static_cast<Record*>(object)->magic, kMagic);
  EXPECT_EQ(GC_is_marked(object), 0);
  asked().push_back(object);
  return keeps ? 1 : 0;
}

int kind_with_procedure(int mark_from_all) {
  asked().reserve(100 * kMany);
  const int kind = static_cast<int>(GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1));
  GC_register_disclaim_proc(kind, ask, mark_from_all);
  return kind;
}

Record* new_record(int kind, void* referent = nullptr) {
  auto* const record = static_cast<Record*>(GC_generic_malloc(sizeof(Record), kind));
  *record = {kMagic, referent};
  GC_reachable_here(record);  // otherwise the compiler leaves out unread stores
  return record;
}

TEST(DisclaimProcedures, MayKeepAnObjectUntilTheNextCollection) {
  const int kind = kind_with_procedure(0);
  const HiddenObjects records = hidden_objects([kind] { return new_record(kind); });
  keeps = true;
  collect_cleanly();
  const std::size_t first = asked().size();
  EXPECT_GE(first, kMany - kFew);
  EXPECT_EQ(records.still_there(), kMany);
  keeps = false;
  collect_cleanly();
  EXPECT_GE(asked().size(), first + kMany - kFew);
  collect_cleanly();  // explicitly freed objects count as objects until then
  EXPECT_LE(records.still_there(), kFew);
}

TEST(DisclaimProcedures, KeepWhatTheObjectsReferToWhereTheyAreToldTo) {
  for (const int mark_from_all : {0, 1}) {
    const int kind = kind_with_procedure(mark_from_all);
    const HiddenObjects referents = hidden_objects([kind] {
      void* const referent = GC_malloc_atomic(16);
      new_record(kind, referent);
      return referent;
    });
    collect_cleanly();
    if (mark_from_all != 0) {
      EXPECT_EQ(referents.still_there(), kMany);
    } else {
      EXPECT_LE(referents.still_there(), kFew);
    }
  }
}

TEST(DisclaimProcedures, AreNotAskedOfFreeMemory) {
  const int kind = kind_with_procedure(0);
  std::vector<std::size_t> sizes;
  // Slots that are free, that were freed here, and that were freed by a thread that is gone.
  for (std::size_t i = 0; i < kMany; ++i) GC_free(new_record(kind));
  GC_free(GC_generic_malloc(100'000, kind));
  void* volatile kept = new_record(kind);
  const auto free_elsewhere = [](void* of_kind) -> void* {
    std::array<void*, kMany> records{};
    for (void*& record : records) record = new_record(*static_cast<int*>(of_kind));
    for (void*& record : records) {
      GC_free(record);
      record = nullptr;
    }
    return nullptr;
  };
  pthread_t thread{};
  int of_kind = kind;
  ASSERT_EQ(GC_pthread_create(&thread, nullptr, free_elsewhere, &of_kind), 0);
  ASSERT_EQ(GC_pthread_join(thread, nullptr), 0);
  collect_cleanly();
  EXPECT_EQ(asked().size(), 0U);
  EXPECT_EQ(static_cast<Record*>(kept)->magic, kMagic);
}

// The word that chains a freed slot to the next is a link that the collection clears.
TEST(DisclaimProcedures, MeetLinksInFreedSlots) {
  const int kind = kind_with_procedure(0);
  auto** const holders = static_cast<void**>(GC_malloc_uncollectable(kMany * sizeof(void*)));
  hidden_objects([&, count = 0]() mutable {
    void* const holder = holders[count++] = new_record(kind);
    GC_general_register_disappearing_link(static_cast<void**>(holder), GC_malloc_atomic(64));
    return new_record(kind);
  });
  for (std::size_t i = 0; i < kMany; ++i) GC_free(std::exchange(holders[i], nullptr));
  collect_cleanly();
  EXPECT_GE(asked().size(), kMany - kFew);
  EXPECT_LE(asked().size(), kMany);
}

int asked_with_header = 0;

TEST(DisclaimProcedures, AreAskedOfObjectsWithChecks) {
  const int kind = static_cast<int>(GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1));
  GC_register_disclaim_proc(
      kind,
      [](void* object) {
        asked_with_header += static_cast<Record*>(GC_USR_PTR_FROM_BASE(object))->magic == kMagic ? 1 : 0;
        return 0;
      },
      0);
  hidden_objects([kind] {
    auto* const record =
        static_cast<Record*>(GC_debug_generic_or_special_malloc(sizeof(Record), kind, "file", 1));
    record->magic = kMagic;
    GC_reachable_here(record);
    return record;
  });
  collect_cleanly();
  EXPECT_GE(asked_with_header, static_cast<int>(kMany - kFew));
}

TEST(DisclaimProcedures, AreNotRegisteredWhereLeaksAreLookedFor) {
  const int kind = kind_with_procedure(0);
  GC_register_disclaim_proc(kind, ask, 0);
  const int other = static_cast<int>(GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1));
  GC_set_find_leak(1);
  GC_register_disclaim_proc(other, ask, 0);
  GC_set_find_leak(0);
  hidden_objects([other] { return new_record(other); });
  collect_cleanly();
  EXPECT_EQ(asked().size(), 0U);
}

TEST(DisclaimProceduresDeathTest, BelongToAKind) {
  GC_init();
  EXPECT_DEATH(GC_register_disclaim_proc(30, ask, 0), "no such kind");
  EXPECT_DEATH(GC_register_disclaim_proc(-1, ask, 0), "no such kind");
}

}  // namespace
}  // namespace jackdaw::c_interface
