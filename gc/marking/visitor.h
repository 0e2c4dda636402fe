// Visitor: the object to which a program's function reports references during marking.
//
// A marker's sink is a template, which a separately compiled function cannot use. So such functions are
// called once for each object and report to a buffer, without a call for each reference. If the sink takes
// candidates (mark/object_model.h), it is the sink's own buffer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "heap/block_map.h"
#include "heap/object.h"
#include "heap/word_scan.h"
#include "mark/object_model.h"

namespace jackdaw::gc {

class WeakReferences;

/// Belongs to one mark thread. The program's functions must not keep it.
class Visitor {
 public:
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  /// Reports that the visited object refers to the object of the same heap that `place` points into, unless
  /// that is null.
  void reference(const void* place) {
    if (next_ == end_) [[unlikely]]
      empty_(*this);
    // No branch depends on `place`.
    *next_ = reinterpret_cast<std::uintptr_t>(place);
    next_ += place != nullptr ? 1 : 0;
  }
  /// Reports that the visited object holds `word`, which may point into an object, or be anything else.
  void word(std::uintptr_t word) { reference(heap::slot_at_word(map_, word)); }
  /// Returns where the object's weak references are noted, if its type may have any.
  [[nodiscard]] WeakReferences& weak_references() const { return *weak_references_; }

 protected:
  using Empty = void (*)(Visitor&);
  Visitor(const heap::BlockMap& map, WeakReferences* weak_references, Empty empty)
      : map_(map), weak_references_(weak_references), empty_(empty) {}
  ~Visitor() = default;

  std::uintptr_t* next_ = nullptr;  // where the next reference goes
  std::uintptr_t* end_ = nullptr;
  const heap::BlockMap& map_;

 private:
  WeakReferences* const weak_references_;
  const Empty empty_;
};

/// A visitor over a marker's sink. The sink gets the references when the visitor is destroyed, or earlier
/// when there are many.
template <typename Sink>
class SinkVisitor final : public Visitor {
 public:
  /// `weak_references` is the heap's, or null for objects of types that have none.
  SinkVisitor(const heap::BlockMap& map, Sink& sink, WeakReferences* weak_references = nullptr)
      : Visitor(map, weak_references, empty_of), sink_(sink) {
    begin();
  }
  ~SinkVisitor() { empty(); }

 private:
  static constexpr std::size_t kCapacity = 64;

  static void empty_of(Visitor& visitor) { static_cast<SinkVisitor&>(visitor).empty(); }

  void begin() {
    next_ = references_.data();
    end_ = next_ + references_.size();
  }
  void empty() {
    for (const std::uintptr_t* reference = references_.data(); reference != next_; ++reference)
      sink_.reference(heap::slot_at_any_word(map_, *reference));
    begin();
  }

  Sink& sink_;
  std::array<std::uintptr_t, kCapacity> references_;  // used up to next_
};

template <mark::CandidateSink Sink>
class SinkVisitor<Sink> final : public Visitor {
 public:
  /// `weak_references` is the heap's, or null for objects of types that have none.
  SinkVisitor(const heap::BlockMap& map, Sink& sink, WeakReferences* weak_references = nullptr)
      : Visitor(map, weak_references, empty_of), sink_(sink) {
    begin();
  }
  ~SinkVisitor() { end(); }

 private:
  static void empty_of(Visitor& visitor) {
    auto& self = static_cast<SinkVisitor&>(visitor);
    self.end();
    self.sink_.make_room();
    self.begin();
  }

  void begin() {
    next_ = sink_.candidates() + sink_.candidate_count();
    end_ = next_ + mark::kCandidatesAtOnce;
  }
  void end() {
    if (map_.displacements() != nullptr) [[unlikely]]
      find_starts();
    sink_.set_candidate_count(static_cast<std::size_t>(next_ - sink_.candidates()));
  }
  // Any interior pointer may be reported, but candidates count only at displacements: so each becomes its
  // object's start.
  void find_starts() {
    std::uintptr_t* start = sink_.candidates() + sink_.candidate_count();
    for (const std::uintptr_t* reference = start; reference != next_; ++reference) {
      if (const heap::Object* const object = heap::slot_at_any_word(map_, *reference))
        *start++ = reinterpret_cast<std::uintptr_t>(object);
    }
    next_ = start;
  }

  Sink& sink_;
};

}  // namespace jackdaw::gc
