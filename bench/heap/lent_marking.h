// LentMarking: marks a collector's heap with other engines than its own, in turn.
#pragma once

#include <memory>
#include <utility>

#include "gc/collector.h"
#include "gc/marking.h"

namespace jackdaw::bench {

/// Lends a collector other engines. Its own is back when the object dies. Nobody else may use the collector
/// meanwhile.
class LentMarking {
 public:
  explicit LentMarking(gc::Collector& collector) : collector_(collector) {}
  ~LentMarking() {
    if (own_ != nullptr) collector_.exchange_marking(std::move(own_));
  }
  LentMarking(const LentMarking&) = delete;
  LentMarking& operator=(const LentMarking&) = delete;

  /// Collects once with `marking`. Throws std::bad_alloc.
  gc::CollectionResult collect_with(std::unique_ptr<gc::Marking>& marking) {
    own_ = collector_.exchange_marking(std::move(marking));
    gc::CollectionResult result = collector_.collect();
    marking = collector_.exchange_marking(std::move(own_));
    return result;
  }

 private:
  gc::Collector& collector_;
  std::unique_ptr<gc::Marking> own_;
};

}  // namespace jackdaw::bench
