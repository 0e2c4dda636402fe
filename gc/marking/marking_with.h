// MarkingWith: a Marking by one of mark/'s engines.
//
// A file that instantiates one is best compiled with the options that gc/marking/marking.cc is compiled with:
// where the mark loop lies in memory matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "gc/marking/marking.h"
#include "gc/marking/object_model.h"
#include "mark/marker.h"

namespace jackdaw::gc {

/// `MakeModel` gives the Marker's object model of the MarkedHeap that it is called with.
template <typename Marker, typename MakeModel>
class MarkingWith final : public Marking {
 public:
  /// The marker is made from the options and `more`.
  template <typename... More>
  MarkingWith(MakeModel make_model, const mark::MarkerOptions& options, const More&... more)
      : marker_(options, more...), make_model_(make_model) {}

  using Marking::wake_helpers;
  void wake_helpers(std::uint32_t least) override { marker_.wake_helpers(least); }
  void share(mark::ThreadPool::Job part, std::uint32_t parts) override { marker_.share(part, parts); }
  void share_with_all(mark::ThreadPool::Job part, std::uint32_t parts) override {
    marker_.share_with_all(part, parts);
  }
  void set_most_workers(std::uint32_t workers) override { marker_.set_most_workers(workers); }
  bool mark(const MarkedHeap& heap, std::span<heap::Object* const> roots,
            std::span<const MarkTask> rescans) override {
    auto model = make_model_(heap);
    return marker_.mark(model, roots, rescans);
  }
  [[nodiscard]] std::span<const mark::WorkerStatistics> statistics() const override {
    return marker_.statistics();
  }
  [[nodiscard]] std::span<const std::uint32_t> steals_by_victim(std::uint32_t worker) const override {
    return marker_.steals_by_victim(worker);
  }
  [[nodiscard]] std::uint32_t worker_count() const override { return marker_.worker_count(); }
  [[nodiscard]] std::size_t memory_bytes() const override { return marker_.memory_bytes(); }

 private:
  Marker marker_;
  const MakeModel make_model_;
};

/// A MarkingMaker, for which `more` is what the Marker is made from beside its options.
template <typename Queue, typename Victim, typename... More>
std::unique_ptr<Marking> make_marking_with(const MarkingOptions& options, const More&... more) {
  const auto make_model = [](const MarkedHeap& heap) { return HeapObjectModel(heap); };
  using Marker = mark::Marker<HeapObjectModel, Queue, Victim>;
  return std::make_unique<MarkingWith<Marker, decltype(make_model)>>(make_model, on_this_machine(options),
                                                                     more...);
}

}  // namespace jackdaw::gc
