// MarkingWith: a Marking made of a queue, a victim policy and a termination detector.
//
// A file that instantiates one is best compiled with the options that gc/marking.cc is compiled with: where
// the mark loop lies in memory matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "gc/marking.h"
#include "gc/object_model.h"
#include "mark/marker.h"

namespace jackdaw::gc {

template <typename Queue, typename Victim, typename Detector>
class MarkingWith final : public Marking {
 public:
  explicit MarkingWith(const mark::MarkerOptions& options) : marker_(options) {}

  void rouse_helpers() override { marker_.rouse_helpers(); }
  bool mark(const heap::BlockMap& map, std::span<heap::Object* const> roots,
            std::span<const MarkTask> revisits) override {
    HeapObjectModel model(map);
    return marker_.mark(model, roots, revisits);
  }
  [[nodiscard]] std::span<const mark::WorkerStatistics> statistics() const override {
    return marker_.statistics();
  }
  [[nodiscard]] std::uint32_t worker_count() const override { return marker_.worker_count(); }
  [[nodiscard]] std::size_t memory_bytes() const override { return marker_.memory_bytes(); }

 private:
  mark::Marker<HeapObjectModel, Queue, Victim, Detector> marker_;
};

/// A MarkingMaker.
template <typename Queue, typename Victim, typename Detector>
std::unique_ptr<Marking> make_marking_with(const MarkingOptions& options) {
  return std::make_unique<MarkingWith<Queue, Victim, Detector>>(on_this_machine(options));
}

}  // namespace jackdaw::gc
