// Visitor: what a function of the program reports the references of an object to, while objects are marked.
//
// A marker's sink is a template, and a function that was compiled elsewhere cannot be one. So such functions
// are called once an object, and report to a buffer, which the marker empties when they return: no call
// stands between a reference and its place in the buffer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "heap/block_map.h"
#include "heap/object.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// Belongs to one mark thread. Handed to functions of the program, which may not keep it.
class Visitor {
 public:
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  /// The object that is visited refers to `object`, which is the start of one of the same heap.
  void reference(heap::Object* object) {
    if (next_ == end_) [[unlikely]]
      empty_(*this);
    *next_++ = object;
  }
  /// The object that is visited holds `word`, which may be an address in an object, or anything else.
  void word(std::uintptr_t word) {
    if (heap::Object* const object = heap::slot_at_word(map_, word)) reference(object);
  }

 protected:
  using Empty = void (*)(Visitor&);
  Visitor(const heap::BlockMap& map, Empty empty) : map_(map), empty_(empty) {}
  ~Visitor() = default;

  heap::Object** next_ = nullptr;  // where the next reference goes
  heap::Object** end_ = nullptr;

 private:
  const heap::BlockMap& map_;
  const Empty empty_;
};

/// A visitor over a marker's sink (mark/object_model.h). The references are the sink's when it dies, or when
/// there are many.
template <typename Sink>
class SinkVisitor final : public Visitor {
 public:
  SinkVisitor(const heap::BlockMap& map, Sink& sink) : Visitor(map, empty_of), sink_(sink) {
    next_ = references_.data();
    end_ = next_ + references_.size();
  }
  ~SinkVisitor() { empty(); }

 private:
  static constexpr std::size_t kCapacity = 64;

  static void empty_of(Visitor& visitor) { static_cast<SinkVisitor&>(visitor).empty(); }

  void empty() {
    for (heap::Object** reference = references_.data(); reference != next_; ++reference)
      sink_.reference(*reference);
    next_ = references_.data();
  }

  Sink& sink_;
  std::array<heap::Object*, kCapacity> references_;  // used up to next_
};

}  // namespace jackdaw::gc
