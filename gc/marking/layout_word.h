// LayoutWord: how the references of an object are found, in one word, for kinds of objects whose blocks say
// so (heap::Contents::by_kind).
//
// These are the descriptors that the C interface calls GC_descr (jackdaw/gc_mark.h), and one of our own,
// which is a mark procedure's number that programs are not given: objects of C++ types, whose first word
// leads to their TraceDescriptor.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "gc/marking/visitor.h"
#include "heap/object.h"
#include "heap/word_scan.h"

extern "C" {
struct GC_ms_entry;
}

namespace jackdaw::gc {

/// The descriptor that the header of an object of a C++ type points to. Lives as long as the program.
struct TraceDescriptor {
  /// Reports the references of the object whose first byte after the header is `object`. Null: it has none.
  void (*trace)(const void* object, Visitor& visitor) = nullptr;
  /// Calls the destructor of such an object. For those that wait for it alone.
  void (*destroy)(void* object) = nullptr;
  /// The descriptor that the header points to when the object was found dead and waits for its destructor;
  /// it has no `trace`. Null: nothing is to be called.
  const TraceDescriptor* dead = nullptr;
  /// The type's, for people.
  const char* name = nullptr;

  /// The descriptor of the object in a slot for objects of C++ types. Null when there is no object: memory
  /// that was cleared, or freed explicitly, whose first word is above all addresses.
  static const TraceDescriptor* of(const heap::Object* object) {
    const auto word = static_cast<std::intptr_t>(heap::words_at(object)->bits);
    return word <= 0 ? nullptr : reinterpret_cast<const TraceDescriptor*>(word);
  }
};

/// A function of the program that reports an object's references (GC_mark_proc). `top` is a Visitor in
/// disguise; the function returns it.
using MarkProcedure = GC_ms_entry* (*)(std::uintptr_t* object, GC_ms_entry* top, GC_ms_entry* limit,
                                       std::uintptr_t environment);

/// The mark procedures of the process.
class MarkProcedures {
 public:
  static constexpr std::size_t kMaximum = 64;
  /// Numbers below this one are not given out: the program chooses among them itself.
  static constexpr std::size_t kReserved = 8;
  /// Nor are the last ones. Objects of C++ types.
  static constexpr std::size_t kTraced = kMaximum - 1;
  /// The C interface's own: objects with bitmaps that fit into no word, and arrays of objects with layouts.
  static constexpr std::size_t kLongBitmap = kMaximum - 2;
  static constexpr std::size_t kArray = kMaximum - 3;
  static constexpr std::size_t kEndOfGivenOut = kArray;

  /// Adds one and returns its number; nothing when there are too many. Any thread.
  static std::optional<std::size_t> add(MarkProcedure procedure);
  /// Whether a number is one that the program may have: reserved for it, or given out by now.
  // Relaxed: the program got the number from add().
  static bool is_for_program(std::size_t number) { return number < next_.load(std::memory_order_relaxed); }
  /// Says what a number leads to. Any thread.
  static void define(std::size_t number, MarkProcedure procedure) {
    // Release: pairs with the acquire in at().
    procedures_[number].store(procedure, std::memory_order_release);
  }
  static MarkProcedure at(std::size_t number) {
    // Acquire: pairs with the release in define; the number may have come by any way.
    return procedures_[number].load(std::memory_order_acquire);
  }

 private:
  static std::array<std::atomic<MarkProcedure>, kMaximum> procedures_;
  static std::atomic<std::size_t> next_;
};

class LayoutWord {
 public:
  explicit constexpr LayoutWord(std::uint64_t bits) : bits_(bits) {}
  /// Objects of C++ types.
  static constexpr LayoutWord traced() {
    return LayoutWord(MarkProcedures::kTraced << kTagBits | bits_of(Tag::procedure));
  }

  /// The object's last word is its layout. (The object's bytes are to be added.)
  static constexpr LayoutWord in_last_word() {
    return LayoutWord((~std::uint64_t{0} << 3) | bits_of(Tag::per_object));
  }

  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }

  /// Reports the references of an object of a C++ type.
  static void trace(const heap::Object* object, Visitor& visitor) {
    const TraceDescriptor* const type = TraceDescriptor::of(object);
    if (type != nullptr && type->trace != nullptr) type->trace(object + 1, visitor);
  }
  /// Reports the references of an object of `bytes` bytes to `sink`, unless its layout is traced().
  template <typename Sink>
  void visit(heap::Object* object, std::size_t bytes, const heap::BlockMap& map, Sink& sink) const {
    LayoutWord layout = *this;
    if (layout.tag() == Tag::per_object) layout = layout.in_object(object, bytes);
    switch (layout.tag()) {
      case Tag::length:
        layout.visit_length(object, bytes, map, sink);
        break;
      case Tag::bitmap:
        layout.visit_bitmap(object, bytes, map, sink);
        break;
      case Tag::procedure: {
        SinkVisitor<Sink> visitor(map, sink);
        layout.call_procedure(object, visitor);
        break;
      }
      default:  // a word in an object that leads to another: not a layout
        break;
    }
  }

 private:
  static constexpr unsigned kTagBits = 2;
  static constexpr std::uint64_t kTagMask = (1U << kTagBits) - 1;
  enum class Tag : std::uint64_t { length = 0, bitmap = 1, procedure = 2, per_object = 3 };
  static constexpr std::uint64_t bits_of(Tag tag) { return static_cast<std::uint64_t>(tag); }
  static constexpr unsigned kProcedureBits = 6;
  static_assert(MarkProcedures::kMaximum == std::size_t{1} << kProcedureBits);
  static constexpr std::uint64_t kIndirectBias = 0x10;

  [[nodiscard]] constexpr Tag tag() const { return static_cast<Tag>(bits_ & kTagMask); }

  // The layout that the object itself holds, or what its first word leads to.
  [[nodiscard]] LayoutWord in_object(const heap::Object* object, std::size_t bytes) const;
  void call_procedure(heap::Object* object, Visitor& visitor) const;

  template <typename Sink>
  void visit_length(heap::Object* object, std::size_t bytes, const heap::BlockMap& map, Sink& sink) const {
    const std::size_t length = bits_ < bytes ? bits_ : bytes;
    heap::for_each_slot_in({heap::words_at(object), length / heap::kWordBytes}, map,
                           [&](heap::Object* reference) { sink.reference(reference); });
  }

  // The highest bit is the first word's.
  template <typename Sink>
  void visit_bitmap(heap::Object* object, std::size_t bytes, const heap::BlockMap& map, Sink& sink) const {
    const heap::Word* const words = heap::words_at(object);
    std::uint64_t bits = bits_ & ~kTagMask;
    for (std::size_t word = 0; bits != 0 && word < bytes / heap::kWordBytes; ++word, bits <<= 1) {
      if ((bits >> 63) == 0) continue;
      if (heap::Object* const reference = heap::slot_at_word(map, words[word].bits))
        sink.reference(reference);
    }
  }

  std::uint64_t bits_;
};

}  // namespace jackdaw::gc
