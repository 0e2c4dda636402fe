#include "gc/marking/collection.h"

#include "base/check.h"
#include "gc/marking/object_model.h"

namespace jackdaw::gc {

namespace {

// Marked objects to visit again are gathered in pieces of this size.
constexpr std::size_t kRescanPiece = 4096;

}  // namespace

Collection::Collection(heap::Heap& heap, WeakReferences* weak_references)
    : heap_(heap), weak_references_(weak_references) {
  rescans_.reserve_or_throw(kRescanPiece);
}

void Collection::begin(MarkEngine& engine) {
  engine_ = &engine;
  is_complete_ = true;
  static_cast<CollectionTotals&>(result_) = {};
  result_.workers.assign(engine.marker().worker_count(), {});
}

void Collection::clear_marks() {
  JACKDAW_CHECK(engine_ != nullptr && !program_runs_);
  heap_.start_clearing_marks();
  engine_->marker().share([this](std::uint32_t chunk) { heap_.clear_marks_of_chunk(chunk); },
                          static_cast<std::uint32_t>(heap_.chunk_count()));
}

void Collection::mark_further(std::span<heap::Object* const> roots) {
  mark_some(roots);
  if (weak_references_ == nullptr) return;
  weak_references_->ephemerons().mark_values(
      [this](std::span<heap::Object* const> values) { mark_some(values); });
}

void Collection::mark_some(std::span<heap::Object* const> roots) { mark_again(roots, {}); }

void Collection::mark_again(std::span<heap::Object* const> roots, std::span<const MarkTask> rescans) {
  is_complete_ = mark_pass(roots, rescans) && is_complete_;
  while (!is_complete_ && !program_runs_) {
    ++result_.mark_passes;
    is_complete_ = rescan_marked();
  }
}

void Collection::start_sweep(heap::OwnedBlocks owned) {
  JACKDAW_CHECK(is_complete_ && !program_runs_);
  marked_ = std::chrono::steady_clock::now();
  heap_.start_sweep(owned);
}

void Collection::sweep(heap::OwnedBlocks owned) {
  JACKDAW_CHECK(is_complete_ && !program_runs_);
  marked_ = std::chrono::steady_clock::now();
  const heap::SweepResult swept = heap_.sweep(owned);
  result_.live_objects = swept.live_objects;
  result_.live_bytes = swept.live_bytes;
  result_.unscanned_bytes = swept.unscanned_bytes;
}

CollectionResult& Collection::finish(std::chrono::steady_clock::time_point start) {
  result_.mark_time = marked_ - start;
  result_.collect_time = std::chrono::steady_clock::now() - start;
  return result_;
}

bool Collection::mark_pass(std::span<heap::Object* const> roots, std::span<const MarkTask> rescans) {
  JACKDAW_CHECK(engine_ != nullptr);
  const bool complete = engine_->mark({heap_.map(), weak_references_, program_runs_}, roots, rescans);
  const auto counts = engine_->marker().statistics();
  for (std::size_t i = 0; i < counts.size(); ++i) result_.workers[i].add(counts[i]);
  return complete;
}

bool Collection::rescan_marked() {
  bool complete = true;
  const auto mark_piece = [&] {
    complete = mark_pass({}, rescans_.span()) && complete;
    rescans_.clear();
  };
  heap_.for_each_marked([&](heap::Object* object) {
    rescans_.append_reserved(HeapObjectModel::task_of(object));
    if (rescans_.size() == kRescanPiece) mark_piece();
  });
  if (!rescans_.empty()) mark_piece();
  return complete;
}

}  // namespace jackdaw::gc
