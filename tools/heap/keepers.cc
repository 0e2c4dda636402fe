#include "tools/heap/keepers.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

namespace jackdaw::tools {

namespace {

/// Nodes that each node dominates immediately: linked lists, whose heads and links are nodes.
class Dominated {
 public:
  explicit Dominated(std::span<const std::uint32_t> dominators)
      : first_(dominators.size(), kNoNode), next_(dominators.size(), kNoNode) {
    for (std::uint32_t node = 0; node < dominators.size(); ++node) {
      const std::uint32_t dominator = dominators[node];
      if (dominator == kNoNode) continue;
      next_[node] = std::exchange(first_[dominator], node);
    }
  }

  template <class Visit>
  void for_each(std::uint32_t dominator, Visit&& visit) const {
    for (std::uint32_t node = first_[dominator]; node != kNoNode; node = next_[node]) visit(node);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> next_;
};

class KeeperTree {
 public:
  KeeperTree(const HeapView& view, std::span<const std::uint32_t> dominators,
             std::span<const std::uint64_t> sums)
      : view_(view), dominated_(dominators), sums_(sums) {
    for (std::uint32_t node = 1; node < dominators.size(); ++node) {
      const bool is_first = dominators[node] != kNoNode && !view.object_of(dominators[node]);
      if (view.object_of(node) && is_first) waiting_.push({sums[node], node, kNoRow});
    }
  }

  std::vector<Keeper> take(std::size_t most) {
    while (rows_.size() < most && !waiting_.empty()) {
      const Candidate candidate = waiting_.top();
      waiting_.pop();
      add_row(candidate);
    }
    return in_preorder();
  }

 private:
  static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

  struct Candidate {
    std::uint64_t retained_bytes;
    std::uint32_t node;
    std::size_t parent;  // a row

    friend bool operator<(const Candidate& left, const Candidate& right) {
      // The node with the lower number comes first among equal ones.
      return std::pair(left.retained_bytes, right.node) < std::pair(right.retained_bytes, left.node);
    }
  };
  struct Row {
    std::uint32_t node;
    std::size_t parent;
    std::string reference;
    std::vector<std::size_t> children;  // rows, by decreasing bytes
  };

  void add_row(const Candidate& candidate) {
    const NodeId object = *view_.object_of(candidate.node);
    const std::size_t number = rows_.size();
    Row row{candidate.node, candidate.parent, "", {}};
    bool repeats = false;
    if (row.parent != kNoRow) {
      Row& parent = rows_[row.parent];
      const NodeId dominator = *view_.object_of(parent.node);
      row.reference = view_.name_of_reference(dominator, object);
      parent.children.push_back(number);
      repeats = row.reference == parent.reference &&
                view_.graph().type_id_of(object) == view_.graph().type_id_of(dominator);
    }
    rows_.push_back(std::move(row));
    if (repeats) return;
    dominated_.for_each(candidate.node, [&](std::uint32_t node) {
      waiting_.push({sums_[node], node, number});
    });
  }

  [[nodiscard]] std::vector<Keeper> in_preorder() const {
    std::vector<Keeper> keepers;
    std::vector<std::pair<std::size_t, std::uint32_t>> stack;  // rows with their depths
    for (std::size_t row = rows_.size(); row-- > 0;)
      if (rows_[row].parent == kNoRow) stack.emplace_back(row, 0);
    while (!stack.empty()) {
      const auto [number, depth] = stack.back();
      stack.pop_back();
      const Row& row = rows_[number];
      keepers.push_back(
          {(row.reference.empty() ? "" : row.reference + ": ") + view_.describe(*view_.object_of(row.node)),
           sums_[row.node], true, depth});
      for (auto child = row.children.rbegin(); child != row.children.rend(); ++child)
        stack.emplace_back(*child, depth + 1);
    }
    return keepers;
  }

  const HeapView& view_;
  Dominated dominated_;
  std::span<const std::uint64_t> sums_;
  std::priority_queue<Candidate> waiting_;
  std::vector<Row> rows_;  // by decreasing bytes
};

}  // namespace

std::vector<Keeper> find_keepers(const HeapView& view, std::span<const std::uint32_t> dominators,
                                 std::span<const std::uint64_t> sums, std::size_t most) {
  return KeeperTree(view, dominators, sums).take(most);
}

std::vector<Keeper> find_root_words(const HeapView& view, std::span<const std::uint64_t> sums,
                                    std::size_t most) {
  std::vector<std::uint32_t> roots(view.root_count());
  std::iota(roots.begin(), roots.end(), 0);
  const std::size_t count = std::min(most, roots.size());
  const auto bytes_of = [&](std::uint32_t root) { return sums[view.node_of_root(root)]; };
  std::partial_sort(roots.begin(), roots.begin() + static_cast<std::ptrdiff_t>(count), roots.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return bytes_of(a) > bytes_of(b); });
  roots.resize(count);
  std::vector<Keeper> keepers;
  for (const std::uint32_t root : roots) {
    if (bytes_of(root) != 0)
      keepers.push_back({view.describe_root(root), bytes_of(root), view.is_certain_root(root)});
  }
  return keepers;
}

}  // namespace jackdaw::tools
