#include "tests/soak/node.h"

#include "jackdaw/gc.h"
#include "jackdaw/gc_typed.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tests/soak/random.h"
#include "tests/soak/tally.h"

namespace jackdaw::soak {

namespace {

constexpr std::uint64_t kSeal = 0x5EA1'0000'0000'0000U;
constexpr std::uint64_t kSealMask = 0xFFFF'0000'0000'0000U;
constexpr std::uintptr_t kNodeAlignment = 16;

// The layout of nodes with `edge_count` edges; made at the first use.
GC_descr layout(std::uint32_t edge_count) {
  constexpr std::size_t kFirstReference = offsetof(Node, payload) / sizeof(void*);
  std::vector<GC_word> bitmap((kFirstReference + 1 + edge_count + GC_WORDSZ - 1) / GC_WORDSZ);
  for (std::size_t word = kFirstReference; word <= kFirstReference + edge_count; ++word)
    GC_set_bit(bitmap.data(), word);
  return GC_make_descriptor(bitmap.data(), kFirstReference + 1 + edge_count);
}

void* allocate(std::size_t bytes, std::uint32_t edge_count, NodeKind kind) {
  switch (kind) {
    case NodeKind::plain:
      return GC_MALLOC(bytes);
    case NodeKind::typed:
      return GC_MALLOC_EXPLICITLY_TYPED(bytes, layout(edge_count));
    case NodeKind::near_start:
      return GC_MALLOC_IGNORE_OFF_PAGE(bytes);
  }
  __builtin_unreachable();
}

std::uint64_t payload_word(std::uint64_t identity, std::uint64_t word) {
  return mixed(identity << 20 ^ word);
}

}  // namespace

Node* new_node(std::uint64_t identity, std::uint32_t edge_count, NodeKind kind) {
  void* const memory = allocate(sizeof(Node) + edge_count * sizeof(std::uintptr_t), edge_count, kind);
  if (memory == nullptr) return nullptr;
  auto* const node = static_cast<Node*>(memory);
  check(node->seal == 0 && node->payload == nullptr, "a new object is not cleared", identity);
  node->seal = kSeal | identity;
  node->edge_count = edge_count;
  // Only the node itself keeps the object, if anything does.
  node->noise = kind == NodeKind::typed ? reinterpret_cast<std::uintptr_t>(GC_MALLOC(sizeof(Node))) : 0;
  for (const std::uintptr_t edge : node->edges()) check(edge == 0, "a new object is not cleared", identity);
  return node;
}

void set_payload(Node* node, std::uint32_t words) {
  if (words == node->payload_words) return;
  const std::uint32_t before = node->payload_words;
  std::uint64_t* payload = nullptr;
  if (words > before && before != 0) {
    payload = static_cast<std::uint64_t*>(GC_REALLOC(node->payload, words * sizeof(std::uint64_t)));
    if (payload == nullptr) return;
  } else {
    payload = static_cast<std::uint64_t*>(GC_MALLOC_ATOMIC(words * sizeof(std::uint64_t)));
    if (payload == nullptr) return;
    GC_FREE(node->payload);
  }
  const std::uint64_t identity = identity_of(node);
  for (std::uint32_t word = words > before ? before : 0; word < words; ++word)
    payload[word] = payload_word(identity, word);
  node->payload = payload;
  node->payload_words = words;
}

void free_node(Node* node) {
  GC_FREE(node->payload);
  GC_FREE(node);
  count(tally.freed);
}

std::uintptr_t edge_to(const Node* node, std::uint64_t choice) {
  return reinterpret_cast<std::uintptr_t>(node) + choice % kNodeAlignment;
}

Node* target_of(std::uintptr_t edge) {
  return reinterpret_cast<Node*>(edge & ~(kNodeAlignment - 1));  // NOLINT(performance-no-int-to-ptr)
}

std::size_t bytes_of(const Node* node) {
  return sizeof(Node) + node->edge_count * sizeof(std::uintptr_t) +
         node->payload_words * sizeof(std::uint64_t);
}

std::uint64_t identity_of(const Node* node) {
  check((node->seal & kSealMask) == kSeal, "an object is not the one that it was", node->seal);
  return node->seal & ~kSealMask;
}

void check_intact(const Node* node) {
  const std::uint64_t identity = identity_of(node);
  check(GC_base(const_cast<Node*>(node)) == node, "an object is not in the heap", identity);
  check(GC_size(node) >= sizeof(Node) + node->edge_count * sizeof(std::uintptr_t), "an object is too small",
        identity, GC_size(node));
  for (std::uint32_t word = 0; word < node->payload_words; ++word)
    check(node->payload[word] == payload_word(identity, word), "a payload changed", identity, word);
  count(tally.nodes_checked);
}

void check_reachable(Node* node, std::size_t most) {
  std::vector<Node*> found{node};  // all reachable from the caller's
  for (std::size_t next = 0; next < found.size(); ++next) {
    check_intact(found[next]);
    for (const std::uintptr_t edge : found[next]->edges()) {
      Node* const target = target_of(edge);
      if (target == nullptr || found.size() == most) continue;
      if (std::find(found.begin(), found.end(), target) == found.end()) found.push_back(target);
    }
  }
  GC_reachable_here(node);
}

}  // namespace jackdaw::soak
