// WorkerMail: one worker's part in the mail: what it gathers for other memory nodes, and what it fetches.
//
// Tasks for another node gather in an outbox for it, a block, which is posted when it is full, when others
// are hungry, and when the worker runs dry. What cannot be posted, because too much lies in the mailbox
// already, the worker keeps: so work goes to where its memory is only as fast as it is done there.
//
// The end of a round: a worker that has posted offers to end the round only after it has found empty the
// mailboxes that it may have posted into. So its blocks were taken, each by a worker that had not offered, or
// had taken its offer back. Offers are only taken back while they are not complete; so what completes them is
// an offer that comes later, when that worker is done with what it took. (For the detector without offers,
// see RingTerminator::before_posting.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mark/mail/post_office.h"

namespace jackdaw::mark {

/// Used by its worker alone, but for what all workers share behind it.
template <typename Task>
class WorkerMail {
 public:
  /// A worker of `node`; without an office there is no mail. Throws std::bad_alloc.
  WorkerMail(PostOffice<Task>* office, std::uint32_t node) : office_(office), node_(node) {
    if (office != nullptr) outboxes_.resize(office->node_count());
  }

  /// Whether there is any.
  [[nodiscard]] bool is_on() const { return office_ != nullptr; }

  /// Whether tasks for that node are to be sent there: it is another one that has workers.
  [[nodiscard]] bool goes_to(std::uint32_t node) const { return node != node_ && office_->delivers_to(node); }
  /// Gathers a task for a node that it goes to; is_full(node) must be false. O(1).
  void gather(Task task, std::uint32_t node) {
    Outbox& outbox = outboxes_[node];
    outbox.tasks[outbox.count++] = task;
    ++gathered_;
  }
  /// Whether as many tasks wait for that node as can.
  [[nodiscard]] bool is_full(std::uint32_t node) const { return outboxes_[node].count == kBlockTasks; }
  /// Tasks gathered that are not posted.
  [[nodiscard]] std::size_t gathered() const { return gathered_; }

  /// Whether the mailbox for that node has room. A glance: it may be out of date at once.
  [[nodiscard]] bool may_post(std::uint32_t node) const { return office_->box(node_, node).has_room(); }
  /// Posts what was gathered for the node. False when the mailbox is full: then it stays.
  bool post(std::uint32_t node) {
    Outbox& outbox = outboxes_[node];
    if (!office_->box(node_, node).post(std::span(outbox.tasks).first(outbox.count))) return false;
    gathered_ -= outbox.count;
    outbox.count = 0;
    return true;
  }
  /// Posts all that was gathered, and returns whether anything was. What cannot be posted stays.
  bool post_all() {
    bool posted = false;
    for (std::uint32_t node = 0; node < outboxes_.size(); ++node)
      posted = (outboxes_[node].count != 0 && post(node)) || posted;
    return posted;
  }
  /// Whether blocks that workers of this node posted wait to be taken. O(nodes).
  [[nodiscard]] bool waits_elsewhere() const {
    for (std::uint32_t node = 0; node < outboxes_.size(); ++node) {
      if (goes_to(node) && !office_->box(node_, node).is_empty()) return true;
    }
    return false;
  }

  /// Takes back what was gathered for one of the nodes and not posted; empty when nothing was. Valid until
  /// the next fetch or taking back.
  std::span<const Task> take_back() {
    for (Outbox& outbox : outboxes_) {
      if (outbox.count == 0) continue;
      gathered_ -= outbox.count;
      fetched_ = outbox.tasks;
      return std::span(fetched_).first(std::exchange(outbox.count, 0));
    }
    return {};
  }

  /// Fetches a block that was sent to this worker's node; empty when there is none. Valid until the next
  /// fetch or taking back. O(nodes).
  std::span<const Task> fetch() { return fetch_for(node_); }
  /// The same, sent to any node: after it was empty, nothing lies in the mail that this worker posted.
  /// O(nodes squared).
  std::span<const Task> fetch_any() {
    for (std::uint32_t node = 0; node < outboxes_.size(); ++node) {
      if (!office_->delivers_to(node)) continue;
      if (const std::span<const Task> found = fetch_for(node); !found.empty()) return found;
    }
    return {};
  }
  /// Whether there is something to fetch, sent to any node. O(nodes squared).
  [[nodiscard]] bool in_sight() const {
    for (std::uint32_t to = 0; to < outboxes_.size(); ++to) {
      for (std::uint32_t from = 0; office_->delivers_to(to) && from < outboxes_.size(); ++from) {
        if (!office_->box(from, to).is_empty()) return true;
      }
    }
    return false;
  }

 private:
  static constexpr std::size_t kBlockTasks = Mailbox<Task>::kBlockTasks;

  struct Outbox {
    std::size_t count = 0;
    std::array<Task, kBlockTasks> tasks{};
  };

  std::span<const Task> fetch_for(std::uint32_t node) {
    for (std::uint32_t from = 0; from < outboxes_.size(); ++from) {
      Mailbox<Task>& box = office_->box(from, node);
      while (!box.is_empty()) {
        if (const std::size_t count = box.take(fetched_)) return std::span(fetched_).first(count);
      }
    }
    return {};
  }

  PostOffice<Task>* const office_;
  const std::uint32_t node_;
  std::size_t gathered_ = 0;
  std::vector<Outbox> outboxes_;  // by node
  std::array<Task, kBlockTasks> fetched_{};
};

}  // namespace jackdaw::mark
