// MarkingSwap: marks a collector's heap by other engines in turn.
#pragma once

#include <memory>
#include <utility>

#include "gc/marking/mark_engine.h"
#include "gc/runtime/collector.h"

namespace jackdaw::bench {

/// Lends a collector other engines, and restores its own when it is destroyed. No other thread may use the
/// collector meanwhile.
class MarkingSwap {
 public:
  explicit MarkingSwap(gc::Collector& collector) : collector_(collector) {}
  ~MarkingSwap() {
    if (own_ != nullptr) collector_.exchange_marking(std::move(own_));
  }
  MarkingSwap(const MarkingSwap&) = delete;
  MarkingSwap& operator=(const MarkingSwap&) = delete;

  /// Collects once with `marking`. Throws std::bad_alloc.
  gc::CollectionResult collect_with(std::unique_ptr<gc::MarkEngine>& marking) {
    own_ = collector_.exchange_marking(std::move(marking));
    gc::CollectionResult result = collector_.collect();
    marking = collector_.exchange_marking(std::move(own_));
    return result;
  }

 private:
  gc::Collector& collector_;
  std::unique_ptr<gc::MarkEngine> own_;
};

}  // namespace jackdaw::bench
