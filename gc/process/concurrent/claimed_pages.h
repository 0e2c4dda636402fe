// ClaimedPages: dirty pages of a heap that are claimed to be visited, pass by pass.
//
// To claim a page arms (write-protects) it again, before its objects are read: later writes are found by the
// next pass. Claimed pages wait here until they are visited, which may be several stops of the program later.
//
// One thread claims pages, since the kernel then interrupts every processor that runs a thread of the
// process, which costs little where those threads sleep. (Measured in a virtual machine with 2 processors,
// with scattered pages in 12 GiB: where two threads claimed and visited pages at once, claiming took longer
// than the visits.)
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/address_range.h"
#include "base/check.h"
#include "base/page_memory.h"
#include "base/page_vector.h"
#include "gc/process/concurrent/scanned_ranges.h"
#include "gc/process/concurrent/write_tracking.h"

namespace jackdaw::gc {

/// One thread uses it at a time. Where the kernel does not arm pages while the program runs, there are no
/// such pages.
class ClaimedPages {
  using Clock = std::chrono::steady_clock;

 public:
  /// The most bytes of a piece, in which pages are handed out.
  static constexpr std::uintptr_t kPieceBytes = std::uintptr_t{16} << 10;

  /// Throws std::bad_alloc.
  ClaimedPages(const ScannedRanges& ranges, WriteTracking& tracking) : ranges_(ranges), tracking_(tracking) {
    pieces_.reserve_or_throw(kEnough + ScannedRanges::kPartBytes / kPieceBytes + WriteTracking::kSomeRuns);
  }

  /// Arms all pages that may hold references, and forgets claimed ones.
  void arm_all() {
    begin_pass();
    if (!tracking_.arms_while_running()) return;
    ranges_.for_each([this](base::AddressRange range) { arm(range, range); });
  }

  /// Begins a pass at the first page, and forgets claimed ones.
  void begin_pass() {
    part_ = 0;
    claimed_until_ = 0;
    pieces_.clear();
    visited_ = 0;
  }
  /// Whether the last page of the pass was claimed and visited.
  [[nodiscard]] bool is_pass_over() const {
    return waiting().empty() && (!tracking_.arms_while_running() || part_ >= ranges_.part_count());
  }
  /// Returns the pieces that wait to be visited. Valid until pages are claimed.
  [[nodiscard]] std::span<const base::AddressRange> waiting() const {
    return pieces_.span().subspan(visited_);
  }
  /// Notes that the first `pieces` waiting pieces were visited.
  void visited(std::size_t pieces) {
    JACKDAW_CHECK(pieces <= waiting().size());
    visited_ += pieces;
  }

  /// Claims further pages, at least some if any are left, until there are enough or the deadline has passed.
  /// To be called when none waits. Does not allocate.
  void claim_some(Clock::time_point deadline) {
    JACKDAW_CHECK(waiting().empty());
    pieces_.clear();
    visited_ = 0;
    bool is_enough = false;
    for (; part_ < ranges_.part_count(); ++part_) {
      ranges_.for_each_of(part_, [&](base::AddressRange range) {
        base::AddressRange left{std::max(range.begin, claimed_until_), range.end};
        while (!left.empty() && !is_enough) {
          claim_some_of(left, range);
          claimed_until_ = left.begin;
          is_enough = pieces_.size() >= kEnough || Clock::now() >= deadline;
        }
      });
      if (is_enough) return;
    }
  }

 private:
  static constexpr std::size_t kEnough = 1024;

  // Arms pages. A chunk that is not tracked yet is tracked as a whole first, which keeps all threads from
  // touching new pages for a moment.
  void arm(base::AddressRange pages, base::AddressRange range) {
    if (tracking_.arm({&pages, 1})) return;
    if (tracking_.watch(ranges_.chunk_of(range))) tracking_.arm({&pages, 1});
  }

  // Claims pages of `left`, a part of `range`, and shortens `left` to what remains.
  void claim_some_of(base::AddressRange& left, base::AddressRange range) {
    if (tracking_.claim_some_dirty(left, [this](base::AddressRange pages) { add(pages); })) return;
    // The kernel refuses for a new chunk that is not tracked yet: all of it counts as dirty, and so do the
    // blocks of other ranges that lie on the same pages, since writes to them no longer show.
    arm(left, range);
    add(base::pages_of(left));
    left.begin = left.end;
  }
  void add(base::AddressRange pages) {
    for (; !pages.empty(); pages.begin += std::min(kPieceBytes, pages.end - pages.begin))
      pieces_.append_reserved({pages.begin, std::min(pages.end, pages.begin + kPieceBytes)});
  }

  const ScannedRanges& ranges_;
  WriteTracking& tracking_;
  std::uint32_t part_ = 0;            // pages of earlier parts were claimed
  std::uintptr_t claimed_until_ = 0;  // and those of this part below this address
  base::PageVector<base::AddressRange> pieces_;
  std::size_t visited_ = 0;
};

}  // namespace jackdaw::gc
