// LayoutWord: one word that says where the references of an object are, for kinds whose objects differ
// (heap::Contents::by_kind).
//
// These are the descriptors that the C interface calls GC_descr (jackdaw/gc_mark.h). One more has a mark
// procedure's number that programs do not get: it is for objects of C++ types, whose first word leads to
// their TraceDescriptor.
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

/// The descriptor to which the header of an object of a C++ type points. It lives as long as the program.
struct TraceDescriptor {
  /// Reports the references of an object, given its first byte after the header. Null: it has none.
  void (*trace)(const void* object, Visitor& visitor) = nullptr;
  /// Calls the destructor of such an object. Only for descriptors that others name as `dead`.
  void (*destroy)(void* object) = nullptr;
  /// The descriptor to which the header points once the object was found dead and waits for its destructor;
  /// it has no `trace`. Null: there is no destructor to call.
  const TraceDescriptor* dead = nullptr;
  /// The type's name, for people.
  const char* name = nullptr;

  /// Returns the descriptor of the object in a slot for objects of C++ types, or null when there is no
  /// object: the memory is zero, or was freed explicitly, with a first word above all addresses.
  static const TraceDescriptor* of(const heap::Object* object) {
    const auto word = static_cast<std::intptr_t>(heap::words_at(object)->bits);
    return word <= 0 ? nullptr : reinterpret_cast<const TraceDescriptor*>(word);
  }
};

/// A function of the program that reports an object's references (GC_mark_proc). `top` points to a Visitor;
/// the function returns it.
using MarkProcedure = GC_ms_entry* (*)(std::uintptr_t* object, GC_ms_entry* top, GC_ms_entry* limit,
                                       std::uintptr_t environment);

/// The mark procedures of the process.
class MarkProcedures {
 public:
  static constexpr std::size_t kMaximum = 64;
  /// The program itself assigns the numbers below this one.
  static constexpr std::size_t kReserved = 8;
  /// The last numbers are not given out either. This one is for objects of C++ types.
  static constexpr std::size_t kTraced = kMaximum - 1;
  /// These are the C interface's own, for objects with bitmaps longer than a word, and for arrays of objects
  /// with layouts.
  static constexpr std::size_t kLongBitmap = kMaximum - 2;
  static constexpr std::size_t kArray = kMaximum - 3;
  static constexpr std::size_t kEndOfGivenOut = kArray;

  /// Adds a procedure and returns its number, or nothing when there are too many. Any thread.
  static std::optional<std::size_t> add(MarkProcedure procedure);
  /// Whether the program may have a number: it is reserved for it, or was given out.
  // Relaxed: the program got the number from add().
  static bool is_for_program(std::size_t number) { return number < next_.load(std::memory_order_relaxed); }
  /// Defines the procedure of a number. Any thread.
  static void define(std::size_t number, MarkProcedure procedure) {
    // Release: pairs with the acquire in at().
    procedures_[number].store(procedure, std::memory_order_release);
  }
  static MarkProcedure at(std::size_t number) {
    // Acquire: pairs with the release in define(), as the number may have reached this thread without
    // synchronisation.
    return procedures_[number].load(std::memory_order_acquire);
  }

 private:
  static std::array<std::atomic<MarkProcedure>, kMaximum> procedures_;
  static std::atomic<std::size_t> next_;
};

class LayoutWord {
 public:
  explicit constexpr LayoutWord(std::uint64_t bits) : bits_(bits) {}
  /// Returns the layout of objects of C++ types.
  static constexpr LayoutWord traced() {
    return LayoutWord(MarkProcedures::kTraced << kTagBits | bits_of(Tag::procedure));
  }

  /// Returns the layout that says that the object's last word is its layout. (The object's bytes must be
  /// added.)
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
      default:  // an object's word that leads to another such word is no layout
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

  // Returns the layout that the object holds, or that its first word leads to.
  [[nodiscard]] LayoutWord in_object(const heap::Object* object, std::size_t bytes) const;
  void call_procedure(heap::Object* object, Visitor& visitor) const;

  template <typename Sink>
  void visit_length(heap::Object* object, std::size_t bytes, const heap::BlockMap& map, Sink& sink) const {
    const std::size_t length = bits_ < bytes ? bits_ : bytes;
    heap::for_each_slot_in({heap::words_at(object), length / heap::kWordBytes}, map,
                           [&](heap::Object* reference) { sink.reference(reference); });
  }

  // The highest bit belongs to the first word.
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
