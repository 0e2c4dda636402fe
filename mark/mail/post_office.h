// PostOffice: the mailboxes of a team, one for each pair of memory nodes that have workers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mark/mail/mailbox.h"
#include "mark/page_array.h"

namespace jackdaw::mark {

/// Set up, and told of rounds, by one thread, but for open(); the mailboxes themselves are for all.
template <typename Task>
class PostOffice {
 public:
  using Box = Mailbox<Task>;

  /// `nodes`: of each worker. Throws std::bad_alloc.
  explicit PostOffice(std::vector<std::uint32_t> nodes)
      : nodes_(std::move(nodes)), to_(*std::max_element(nodes_.begin(), nodes_.end()) + std::size_t{1}) {
    start_round(static_cast<std::uint32_t>(nodes_.size()));
  }

  /// Makes the mailboxes of what is sent to `node`, in memory that lies where the calling thread runs: once
  /// for each node that has workers, before anything is posted; for different nodes, by any threads. Throws
  /// std::bad_alloc.
  void open(std::uint32_t node) { to_[node] = make_page_array<Box>(node_count()); }

  /// Before a round of the workers below `team` alone: nothing is sent to where none of them is. O(workers +
  /// nodes).
  void start_round(std::uint32_t team) {
    has_workers_.assign(to_.size(), false);
    for (std::uint32_t worker = 0; worker < team; ++worker) has_workers_[nodes_[worker]] = true;
  }

  /// The nodes are numbered below this.
  [[nodiscard]] std::uint32_t node_count() const { return static_cast<std::uint32_t>(to_.size()); }
  /// Whether the node has workers in this round, so that tasks may be sent there.
  [[nodiscard]] bool delivers_to(std::uint32_t node) const {
    return node < node_count() && has_workers_[node];
  }
  /// Of nodes that have workers.
  [[nodiscard]] Box& box(std::uint32_t from, std::uint32_t to) const { return to_[to][from]; }

  /// Bytes of all mailboxes.
  [[nodiscard]] std::size_t memory_bytes() const {
    std::size_t opened = 0;
    for (const auto& boxes : to_) opened += boxes != nullptr ? 1 : 0;
    return opened * node_count() * sizeof(Box);
  }

 private:
  const std::vector<std::uint32_t> nodes_;  // of workers
  std::vector<bool> has_workers_;           // by node
  std::vector<PageArray<Box>> to_;          // by node, each by the node that sends
};

}  // namespace jackdaw::mark
