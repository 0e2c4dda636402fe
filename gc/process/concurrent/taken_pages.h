// TakenPages: pages of a heap that were written, taken to be visited, pass by pass.
//
// A page is armed when it is taken, before anybody reads what lies on it: what is written from then on is
// found by the next pass. Pages wait here until they are visited, which may be some stops of the program
// later.
//
// One thread takes them. To arm pages, the system has each processor forget what it remembers of them that
// runs a thread of the process: where all others sleep, that costs nothing. (Measured in a virtual machine
// with 2 processors, pages here and there in 12 GiB: where two threads took and visited pages side by side,
// taking them took longer than the visits.)
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/address_range.h"
#include "base/check.h"
#include "base/page_vector.h"
#include "gc/process/concurrent/scanned_stretches.h"
#include "gc/process/concurrent/write_tracking.h"

namespace jackdaw::gc {

/// One thread at a time. Where the system does not arm pages while the program runs, there are none.
class TakenPages {
  using Clock = std::chrono::steady_clock;

 public:
  /// Pages are handed out in pieces of no more bytes.
  static constexpr std::uintptr_t kPieceBytes = std::uintptr_t{16} << 10;

  /// Throws std::bad_alloc.
  TakenPages(const ScannedStretches& stretches, WriteTracking& tracking)
      : stretches_(stretches), tracking_(tracking) {
    pieces_.reserve_or_throw(kEnough + ScannedStretches::kPartBytes / kPieceBytes + WriteTracking::kSomeRuns);
  }

  /// Arms all pages that may hold references. What was taken is forgotten.
  void arm_all() {
    begin_pass();
    if (!tracking_.arms_while_running()) return;
    stretches_.for_each([this](base::AddressRange stretch) { arm(stretch, stretch); });
  }

  /// From now on pages are taken from the first on. What was taken is forgotten.
  void begin_pass() {
    part_ = 0;
    taken_until_ = 0;
    pieces_.clear();
    visited_ = 0;
  }
  /// Whether the last page of the pass was taken, and nothing waits.
  [[nodiscard]] bool is_pass_over() const {
    return waiting().empty() && (!tracking_.arms_while_running() || part_ >= stretches_.part_count());
  }
  /// What waits. Until pages are taken.
  [[nodiscard]] std::span<const base::AddressRange> waiting() const {
    return pieces_.span().subspan(visited_);
  }
  /// Notes that so many pieces, from the first on, were visited.
  void visited(std::size_t pieces) {
    JACKDAW_CHECK(pieces <= waiting().size());
    visited_ += pieces;
  }

  /// While nothing waits: takes further pages, at least some if there are any left, until they are enough or
  /// the time is over. Does not allocate.
  void take_some(Clock::time_point deadline) {
    JACKDAW_CHECK(waiting().empty());
    pieces_.clear();
    visited_ = 0;
    bool is_enough = false;
    for (; part_ < stretches_.part_count(); ++part_) {
      stretches_.for_each_of(part_, [&](base::AddressRange stretch) {
        base::AddressRange left{std::max(stretch.begin, taken_until_), stretch.end};
        while (!left.empty() && !is_enough) {
          take_some_of(left, stretch);
          taken_until_ = left.begin;
          is_enough = pieces_.size() >= kEnough || Clock::now() >= deadline;
        }
      });
      if (is_enough) return;
    }
  }

 private:
  static constexpr std::size_t kEnough = 1024;

  // Where pages cannot be armed, all of the stretch counts as written. A chunk is watched as a whole, when it
  // was not yet: that keeps all threads from touching new pages for a moment.
  void arm(base::AddressRange pages, base::AddressRange stretch) {
    if (tracking_.arm({&pages, 1})) return;
    if (tracking_.watch(stretches_.chunk_of(stretch))) tracking_.arm({&pages, 1});
  }

  // Takes pages of what is left of a stretch, and leaves in `left` what is left then.
  void take_some_of(base::AddressRange& left, base::AddressRange stretch) {
    if (tracking_.take_some_written(left, [this](base::AddressRange pages) { add(pages); })) return;
    // All that lies in a chunk that came lately was written.
    arm(left, stretch);
    add(left);
    left.begin = left.end;
  }
  void add(base::AddressRange pages) {
    for (; !pages.empty(); pages.begin += std::min(kPieceBytes, pages.end - pages.begin))
      pieces_.append_reserved({pages.begin, std::min(pages.end, pages.begin + kPieceBytes)});
  }

  const ScannedStretches& stretches_;
  WriteTracking& tracking_;
  std::uint32_t part_ = 0;          // pages of those before it were taken
  std::uintptr_t taken_until_ = 0;  // of that part, pages at smaller addresses were
  base::PageVector<base::AddressRange> pieces_;
  std::size_t visited_ = 0;
};

}  // namespace jackdaw::gc
