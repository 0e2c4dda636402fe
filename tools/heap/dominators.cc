#include "tools/heap/dominators.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace jackdaw::tools {

namespace {

// The nodes that node 0 reaches, in the order of a depth-first search.
struct Preorder {
  std::vector<std::uint32_t> node_of;    // by number
  std::vector<std::uint32_t> number_of;  // by node; kNoNode if unreached
  std::vector<std::uint32_t> parent;     // numbers, by number
};

Preorder search(const FlatGraph& graph) {
  Preorder order;
  order.number_of.assign(graph.size(), kNoNode);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> path;  // a node and its next successor
  const auto enter = [&](std::uint32_t node, std::uint32_t parent) {
    order.number_of[node] = static_cast<std::uint32_t>(order.node_of.size());
    order.node_of.push_back(node);
    order.parent.push_back(parent);
    path.emplace_back(node, graph.begin[node]);
  };
  enter(0, 0);
  while (!path.empty()) {
    const std::uint32_t node = path.back().first;
    if (path.back().second == graph.begin[node + 1]) {
      path.pop_back();
      continue;
    }
    const std::uint32_t next = graph.successors[path.back().second++];
    if (order.number_of[next] == kNoNode) enter(next, order.number_of[node]);
  }
  return order;
}

// Returns the predecessors, by numbers of the preorder.
FlatGraph predecessors(const FlatGraph& graph, const Preorder& order) {
  const std::size_t count = order.node_of.size();
  std::vector<std::uint64_t> next(count + 1);
  const auto for_each_edge = [&](auto function) {
    for (std::uint32_t from = 0; from < count; ++from) {
      for (const std::uint32_t to : graph.of(order.node_of[from])) function(from, order.number_of[to]);
    }
  };
  for_each_edge([&](std::uint32_t, std::uint32_t to) { ++next[to + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  FlatGraph found{next, std::vector<std::uint32_t>(next.back())};
  for_each_edge([&](std::uint32_t from, std::uint32_t to) { found.successors[next[to]++] = from; });
  return found;
}

// The processed part of the search tree, as a forest with compressed paths.
class Forest {
 public:
  explicit Forest(const std::vector<std::uint32_t>& parents) : ancestor_(parents), label_(parents.size()) {
    std::iota(label_.begin(), label_.end(), 0U);
  }

  // Returns the node with the least semidominator on the path from `node` up to the first node below `first`.
  std::uint32_t least(std::uint32_t node, std::uint32_t first, const std::vector<std::uint32_t>& semi) {
    if (node < first) return node;
    path_.clear();
    std::uint32_t top = node;
    for (; ancestor_[top] >= first; top = ancestor_[top]) path_.push_back(top);
    std::uint32_t above = top;
    for (auto next = path_.rbegin(); next != path_.rend(); ++next) {
      if (semi[label_[above]] < semi[label_[*next]]) label_[*next] = label_[above];
      ancestor_[*next] = ancestor_[top];
      above = *next;
    }
    return label_[node];
  }

 private:
  std::vector<std::uint32_t> ancestor_;
  std::vector<std::uint32_t> label_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

std::vector<std::uint32_t> immediate_dominators(const FlatGraph& graph) {
  const Preorder order = search(graph);
  const FlatGraph into = predecessors(graph, order);
  const auto count = static_cast<std::uint32_t>(order.node_of.size());
  std::vector<std::uint32_t> semi(count);
  std::iota(semi.begin(), semi.end(), 0U);
  Forest forest(order.parent);
  for (std::uint32_t number = count; --number > 0;) {
    semi[number] = order.parent[number];
    for (const std::uint32_t from : into.of(number))
      semi[number] = std::min(semi[number], semi[forest.least(from, number + 1, semi)]);
  }
  std::vector<std::uint32_t> dominator = order.parent;
  for (std::uint32_t number = 1; number < count; ++number) {
    while (dominator[number] > semi[number]) dominator[number] = dominator[dominator[number]];
  }
  std::vector<std::uint32_t> found(graph.size(), kNoNode);
  for (std::uint32_t number = 1; number < count; ++number)
    found[order.node_of[number]] = order.node_of[dominator[number]];
  return found;
}

std::vector<std::uint64_t> retained(const FlatGraph& graph, std::span<const std::uint32_t> dominators,
                                    std::span<const std::uint64_t> weights) {
  std::vector<std::uint64_t> sums(weights.begin(), weights.end());
  // A node's dominator comes before it in the search.
  const std::vector<std::uint32_t> nodes = search(graph).node_of;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (dominators[*node] != kNoNode) sums[dominators[*node]] += sums[*node];
  }
  return sums;
}

}  // namespace jackdaw::tools
