#include "gc/finalization/finalizers.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace jackdaw::gc {

namespace {

heap::Object* object_of(std::uintptr_t address) {
  return reinterpret_cast<heap::Object*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

bool Finalizers::register_finalizer(const heap::Object* object, const Finalizer& finalizer, Finalizer& old) {
  if (!reserve_ready(ready_count() + registered_.size() + 1)) return false;
  Finalizer* const registered = registered_.insert(address_of(object)).value;
  if (registered == nullptr) return false;
  old = std::exchange(*registered, finalizer);
  return true;
}

Finalizer Finalizers::take_back(const heap::Object* object) {
  const Finalizer* const registered = registered_.find(address_of(object));
  if (registered == nullptr) return {};
  const Finalizer finalizer = *registered;
  registered_.erase(address_of(object));
  return finalizer;
}

void Finalizers::find_unreachable(WeakProcessing& marking, bool java) {
  mark_what_they_refer_to(marking);
  const auto comes_last = [java](const Finalizer& finalizer) {
    return java && finalizer.kind == FinalizerKind::unreachable;
  };
  make_unmarked_ready(marking, [&](const Finalizer& finalizer) { return !comes_last(finalizer); });
  if (java) make_unmarked_ready(marking, comes_last);
  count_ready();
}

// The references of a marked object are marked already.
void Finalizers::mark_what_they_refer_to(WeakProcessing& marking) const {
  registered_.for_each([&](std::uintptr_t address, const Finalizer& finalizer) {
    heap::Object* const object = object_of(address);
    if (finalizer.kind == FinalizerKind::no_order || WeakProcessing::is_marked(object)) return;
    const bool ignores_self = finalizer.kind == FinalizerKind::ignore_self;
    marking.mark_references_of(object, ignores_self ? SelfReferences::ignored : SelfReferences::counted);
  });
  marking.drain();
}

// All are chosen before any is marked, since objects without order do not hold one another back.
template <typename Predicate>
void Finalizers::make_unmarked_ready(WeakProcessing& marking, Predicate is_chosen) {
  const std::uint64_t first = added_;
  registered_.erase_if([&](std::uintptr_t address, const Finalizer& finalizer) {
    if (WeakProcessing::is_marked(object_of(address)) || !is_chosen(finalizer)) return false;
    add_ready(address, finalizer);
    return true;
  });
  for (std::uint64_t i = first; i != added_; ++i) marking.mark(ready_at(i).object);
  marking.drain();
}

void Finalizers::make_all_ready() {
  registered_.for_each(
      [&](std::uintptr_t address, const Finalizer& finalizer) { add_ready(address, finalizer); });
  registered_.clear();
  count_ready();
}

void Finalizers::forget_all() {
  registered_.release();
  ready_ = {};
  added_ = announced_ = taken_ = 0;
  count_ready();
}

bool Finalizers::take_ready(ReadyFinalizer& ready) {
  if (ready_count() == 0) return false;
  ready = std::exchange(ready_at(taken_++), {});
  count_ready();
  return true;
}

void Finalizers::add_ready(std::uintptr_t address, const Finalizer& finalizer) {
  JACKDAW_CHECK(ready_count() < ready_.size());
  ready_at(added_++) = {object_of(address), finalizer};
}

// Relaxed: see has_ready.
void Finalizers::count_ready() { ready_count_.store(ready_count(), std::memory_order_relaxed); }

bool Finalizers::reserve_ready(std::size_t count) {
  if (count <= ready_.size()) return true;
  base::PageArray<ReadyFinalizer> longer(std::max(kFirstReadyLength, 2 * ready_.size()));
  if (longer.empty()) return false;
  for (std::uint64_t i = taken_; i != added_; ++i) longer[i & (longer.size() - 1)] = ready_at(i);
  ready_ = std::move(longer);
  return true;
}

}  // namespace jackdaw::gc
