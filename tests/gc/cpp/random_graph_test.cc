// Random graphs of members, weak members, ephemerons and objects with destructors, held against a serial
// model outside of the heap: after each collection exactly the same objects are there.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "gc/cpp/ephemeron.h"
#include "gc/cpp/make_garbage_collected.h"
#include "gc/cpp/persistent.h"
#include "tests/gc/cpp/lists.h"
#include "tests/scaled.h"

namespace jackdaw {
namespace {

constexpr std::size_t kMembers = 2;
constexpr std::size_t kWeak = 2;
constexpr std::size_t kPairs = 3;

struct Node : GarbageCollected<Node> {
  explicit Node(std::size_t number_of_node) : number(number_of_node) {}
  void Trace(Visitor* visitor) const {
    visitor->Trace(pairs);
    visitor->Trace(weak);
    visitor->Trace(members);
  }
  std::size_t number;
  std::array<Member<Node>, kMembers> members;
  std::array<WeakMember<Node>, kWeak> weak;
  std::array<Ephemeron<Node, Node>, kPairs> pairs;
};

struct CountedNode : Node {
  CountedNode(std::size_t number_of_node, std::vector<int>& destroyed)
      : Node(number_of_node), counts(destroyed) {}
  ~CountedNode() { ++counts[number]; }
  std::vector<int>& counts;
};

// The model of a node. Nodes are numbers; kNone is no node.
constexpr std::size_t kNone = ~std::size_t{0};
struct ModelNode {
  ModelNode() {
    members.fill(kNone);
    weak.fill(kNone);
    pairs.fill({kNone, kNone});
  }
  std::array<std::size_t, kMembers> members;
  std::array<std::size_t, kWeak> weak;
  std::array<std::pair<std::size_t, std::size_t>, kPairs> pairs;
  bool is_counted = false;
  bool is_alive = true;
  bool is_gone = false;  // its memory may be another's
};

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed) {}
  ~RandomGraph() {
    roots_.clear();
    collect_exactly();  // destructors count in here
  }
  RandomGraph(const RandomGraph&) = delete;
  RandomGraph& operator=(const RandomGraph&) = delete;

  // Makes nodes and changes references between those that are there.
  void change(std::size_t new_nodes, std::size_t changes) {
    std::vector<Node*> nodes(model_.size(), nullptr);  // kept by the roots or known to be alive
    collect_nodes(nodes);
    for (std::size_t i = 0; i < new_nodes; ++i) nodes.push_back(add_node());
    std::vector<std::size_t> alive;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i] != nullptr) alive.push_back(i);
    }
    for (std::size_t i = 0; i < changes; ++i) change_one(nodes, alive);
    // From here on only some keep the others.
    roots_.clear();
    for (const std::size_t number : alive) {
      if (random_() % 50 == 0) roots_.emplace_back(nodes[number]);
    }
  }

  void collect_and_compare() {
    collect_exactly();
    mark_model();
    std::vector<Node*> nodes(model_.size(), nullptr);
    collect_nodes(nodes);
    for (std::size_t i = 0; i < model_.size(); ++i) {
      ModelNode& model = model_[i];
      ASSERT_EQ(destroyed_[i], model.is_counted && !model.is_alive ? 1 : 0) << i;
      if (model.is_gone) continue;
      // A destroyed object is free before the next collection says so.
      ASSERT_TRUE(model.is_counted || hidden_[i].is_alive() == model.is_alive) << i;
      model.is_gone = !model.is_alive;
      if (nodes[i] != nullptr) compare(*nodes[i], model_[i]);
    }
  }

 private:
  static constexpr std::size_t kMostNodes = 100'000;

  Node* add_node() {
    const std::size_t number = model_.size();
    ModelNode& model = model_.emplace_back();
    model.is_counted = random_() % 3 == 0;
    Node* const node = model.is_counted ? MakeGarbageCollected<CountedNode>(number, destroyed_)
                                        : MakeGarbageCollected<Node>(number);
    hidden_.emplace_back(node);
    roots_.emplace_back(node);
    return node;
  }

  void change_one(const std::vector<Node*>& nodes, const std::vector<std::size_t>& alive) {
    const auto any = [&] { return random_() % 8 == 0 ? kNone : alive[random_() % alive.size()]; };
    const auto at = [&](std::size_t number) { return number == kNone ? nullptr : nodes[number]; };
    const std::size_t changed = alive[random_() % alive.size()];
    Node& node = *nodes[changed];
    ModelNode& model = model_[changed];
    const std::size_t first = any();
    const std::size_t second = first == kNone ? kNone : any();
    const std::size_t place = random_();
    switch (random_() % 4) {
      case 0:
        model.members[place % kMembers] = first;
        node.members[place % kMembers] = at(first);
        break;
      case 1:
        model.weak[place % kWeak] = first;
        node.weak[place % kWeak] = at(first);
        break;
      default:
        model.pairs[place % kPairs] = {first, second};
        node.pairs[place % kPairs].set(at(first), at(second));
    }
  }

  // The nodes that can be reached in the heap, by number.
  void collect_nodes(std::vector<Node*>& nodes) const {
    std::vector<Node*> waiting;
    const auto add = [&](Node* node) {
      if (node == nullptr || nodes[node->number] != nullptr) return;
      nodes[node->number] = node;
      waiting.push_back(node);
    };
    for (const auto& root : roots_) add(root);
    while (!waiting.empty()) {
      Node* const node = waiting.back();
      waiting.pop_back();
      for (const auto& member : node->members) add(member);
      for (const auto& pair : node->pairs) add(pair.value());
    }
  }

  // Until nothing changes: simple, and slow.
  void mark_model() {
    for (ModelNode& node : model_) node.is_alive = false;
    std::vector<std::size_t> waiting;
    const auto mark = [&](std::size_t number) {
      if (number == kNone || std::exchange(model_[number].is_alive, true)) return;
      waiting.push_back(number);
    };
    for (const auto& root : roots_) mark(root->number);
    do {
      while (!waiting.empty()) {
        const std::size_t number = waiting.back();
        waiting.pop_back();
        for (const std::size_t member : model_[number].members) mark(member);
      }
      for (const ModelNode& node : model_) {
        if (!node.is_alive) continue;
        for (const auto& [key, value] : node.pairs) {
          if (key != kNone && model_[key].is_alive) mark(value);
        }
      }
    } while (!waiting.empty());
    clear_dead_in_model();
  }

  void clear_dead_in_model() {
    const auto is_dead = [&](std::size_t number) { return number != kNone && !model_[number].is_alive; };
    for (ModelNode& node : model_) {
      for (std::size_t& weak : node.weak) weak = is_dead(weak) ? kNone : weak;
      for (auto& pair : node.pairs) pair = is_dead(pair.first) ? std::pair{kNone, kNone} : pair;
    }
  }

  static std::size_t number_of(const Node* node) { return node == nullptr ? kNone : node->number; }

  static void compare(const Node& node, const ModelNode& model) {
    for (std::size_t i = 0; i < kMembers; ++i) ASSERT_EQ(number_of(node.members[i]), model.members[i]);
    for (std::size_t i = 0; i < kWeak; ++i) ASSERT_EQ(number_of(node.weak[i]), model.weak[i]);
    for (std::size_t i = 0; i < kPairs; ++i) {
      ASSERT_EQ(number_of(node.pairs[i].key()), model.pairs[i].first);
      ASSERT_EQ(number_of(node.pairs[i].value()), model.pairs[i].second);
    }
  }

  std::mt19937_64 random_;
  std::vector<ModelNode> model_;
  std::vector<HiddenObject> hidden_;
  std::vector<int> destroyed_ = std::vector<int>(kMostNodes);
  std::vector<Persistent<Node>> roots_;
};

class RandomGraphs : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomGraphs, LiveAndDieAsInTheModel) {
  RandomGraph graph(GetParam());
  // Few references, so that most die, and many.
  constexpr std::array<std::size_t, 3> kChanges = {4000, 8000, 20'000};
  for (std::size_t round = 0; round < 9; ++round) {
    graph.change(mark::scaled(2000), mark::scaled(kChanges[round % 3]));
    graph.collect_and_compare();
    if (testing::Test::HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace jackdaw
