// Recording: the heap's graph as a marking sees it, in compact arrays, for a simulation to mark it once more.
//
// A node is an object, or a part of an array that is cut into slices (mark/slices.h). A visit finds other
// nodes. The mark loop makes tasks of nodes, except for objects without references, which are only marked. No
// tree of tasks is recorded: which of several references to an object is found first is a race, which the
// simulation repeats. With one worker, the result is the mark loop's own order.
//
// The cache line of each mark is recorded, because the main cost of marking by two workers is the lines of
// marks that travel between them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heap/object.h"

namespace jackdaw::bench {

/// A number of a recorded node, from 0.
using RecordedNode = std::uint32_t;

class Recording {
 public:
  /// Lines of marks that share a bias (mark/biased_regions.h): those of one block of the heap.
  static constexpr std::uint32_t kLinesPerBias = 2;

  /// Makes a given graph instead of a recorded one, for tests: for each node the nodes that it refers to,
  /// which are all tasks; `lines[node]` is its mark's line.
  Recording(const std::vector<std::vector<RecordedNode>>& targets, std::vector<RecordedNode> roots,
            const std::vector<std::uint32_t>& lines);
  /// Traverses what is reachable from `roots`, whose null entries are skipped, serially. The heap must not
  /// change meanwhile. O(objects + references) time; 12 bytes for a node, 4 for a reference, and 20 more for
  /// a node while it runs. Throws InputError when there are 2^31 nodes or references or more, and
  /// std::bad_alloc.
  explicit Recording(std::span<heap::Object* const> roots);

  [[nodiscard]] RecordedNode node_count() const { return static_cast<RecordedNode>(marks_.size()); }
  /// Returns the number of nodes that are visited.
  [[nodiscard]] std::uint64_t task_count() const { return tasks_; }
  /// Returns the number of nodes that have a mark. O(nodes).
  [[nodiscard]] std::uint32_t mark_count() const {
    return static_cast<std::uint32_t>(std::ranges::count_if(marks_, [](auto mark) { return mark != kPart; }));
  }
  /// Returns the number of references of all nodes, parts of arrays included.
  [[nodiscard]] std::uint64_t reference_count() const { return references_.size(); }
  /// Returns the number of lines that hold marks.
  [[nodiscard]] std::uint32_t line_count() const { return lines_; }
  [[nodiscard]] std::span<const RecordedNode> roots() const { return roots_; }

  /// Returns the references that a visit finds, in order.
  [[nodiscard]] std::span<const RecordedNode> references_of(RecordedNode node) const {
    return std::span(references_).subspan(starts_[node], starts_[node + 1] - starts_[node]);
  }
  /// Whether the node is visited, and not only marked.
  [[nodiscard]] bool is_task(RecordedNode node) const { return (marks_[node] & kLeaf) == 0; }
  /// Whether the node has a mark; parts of arrays have none, and are found once.
  [[nodiscard]] bool has_mark(RecordedNode node) const { return marks_[node] != kPart; }
  /// Whether the node is a part of an array (mark::SlicingObjectModel).
  [[nodiscard]] bool is_slice(RecordedNode node) const { return !has_mark(node); }
  /// Returns the line of the node's mark, if it has one.
  [[nodiscard]] std::uint32_t line_of(RecordedNode node) const { return marks_[node] & ~kLeaf; }

 private:
  class Numbers;
  class Traversal;

  static constexpr std::uint32_t kLeaf = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kPart = kLeaf - 1;

  std::vector<std::uint32_t> marks_;   // the line, with kLeaf if the node is only marked; or kPart
  std::vector<std::uint32_t> starts_;  // of each node's references, and their end
  std::vector<RecordedNode> references_;
  std::vector<RecordedNode> roots_;
  std::uint64_t tasks_ = 0;
  std::uint32_t lines_ = 0;
};

}  // namespace jackdaw::bench
