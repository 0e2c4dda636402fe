// MarkEngineWith: a MarkEngine by one of mark/'s markers.
//
// A file that instantiates one is best compiled with the options that gc/marking/mark_engine.cc is compiled
// with: where the mark loop lies in memory matters.
#pragma once

#include <memory>
#include <span>

#include "gc/marking/mark_engine.h"
#include "gc/marking/object_model.h"
#include "mark/marker.h"
#include "mark/marker_base.h"
#include "mark/marker_options.h"

namespace jackdaw::gc {

/// `MakeModel` gives the Marker's object model of the MarkedHeap that it is called with.
template <typename Marker, typename MakeModel>
class MarkEngineWith final : public MarkEngine {
 public:
  /// The marker is made from the options and `more`.
  template <typename... More>
  MarkEngineWith(MakeModel make_model, const mark::MarkerOptions& options, const More&... more)
      : marker_(options, more...), make_model_(make_model) {}

  mark::MarkerBase& marker() override { return marker_; }
  bool mark(const MarkedHeap& heap, std::span<heap::Object* const> roots,
            std::span<const MarkTask> rescans) override {
    auto model = make_model_(heap);
    return marker_.mark(model, roots, rescans);
  }

 private:
  Marker marker_;
  const MakeModel make_model_;
};

/// A MarkEngineMaker, for which `more` is what the Marker is made from beside its options.
template <typename Queue, typename Victim, typename... More>
std::unique_ptr<MarkEngine> make_mark_engine_with(const MarkingOptions& options, const More&... more) {
  const auto make_model = [](const MarkedHeap& heap) { return HeapObjectModel(heap); };
  using Marker = mark::Marker<HeapObjectModel, Queue, Victim>;
  return std::make_unique<MarkEngineWith<Marker, decltype(make_model)>>(make_model, on_this_machine(options),
                                                                        more...);
}

}  // namespace jackdaw::gc
