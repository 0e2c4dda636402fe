// PostOffice: the mailboxes of a team, one for each pair of memory nodes that have workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mark/mail/mailbox.h"
#include "mark/page_array.h"

namespace jackdaw::mark {

/// Set up by one thread, but for open(); the mailboxes themselves are for all.
template <typename Task>
class PostOffice {
 public:
  using Box = Mailbox<Task>;

  /// `nodes`: of each worker. Throws std::bad_alloc.
  explicit PostOffice(std::span<const std::uint32_t> nodes) {
    for (const std::uint32_t node : nodes) {
      if (node >= has_workers_.size()) has_workers_.resize(node + 1, false);
      has_workers_[node] = true;
    }
    to_.resize(has_workers_.size());
  }

  /// Makes the mailboxes of what is sent to `node`, in memory that lies where the calling thread runs: once
  /// for each node that has workers, before anything is posted; for different nodes, by any threads. Throws
  /// std::bad_alloc.
  void open(std::uint32_t node) { to_[node] = make_page_array<Box>(node_count()); }

  /// The nodes are numbered below this.
  [[nodiscard]] std::uint32_t node_count() const { return static_cast<std::uint32_t>(to_.size()); }
  /// Whether the node has workers, so that tasks may be sent there.
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
  std::vector<bool> has_workers_;   // by node
  std::vector<PageArray<Box>> to_;  // by node, each by the node that sends
};

}  // namespace jackdaw::mark
