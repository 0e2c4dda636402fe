// MarkTask: an object to visit, or a part of a big array, in eight bytes.
//
// An object's address is a multiple of 16 and below 2^48, which leaves 4 bits below and 16 bits above it. Two
// of them hold the form, that is how the object is visited; the others hold a node of a big object's slice
// tree (mark/slices.h), or 0, which no tree has, for a whole object. For a small untyped object they hold its
// number of words, and whether it lies on one cache line, so that a visit needs no look-up.
#pragma once

#include <cstdint>

#include "base/prefetch.h"
#include "heap/chunk.h"
#include "heap/object.h"
#include "heap/size_classes.h"
#include "heap/word_scan.h"
#include "mark/slices.h"

namespace jackdaw::gc {

class MarkTask {
 public:
  MarkTask() = default;  // uninitialised, so that making an array of tasks costs nothing

  /// How the object is visited.
  enum class Form : std::uint8_t {
    references,   ///< heap::Contents::references
    words,        ///< heap::Contents::words, large
    small_words,  ///< heap::Contents::words, in a slot
    by_kind,      ///< heap::Contents::by_kind
  };

  /// Makes the task to visit a whole object in that form.
  explicit MarkTask(const heap::Object* object, Form form = Form::references)
      : bits_(reinterpret_cast<std::uint64_t>(object) | static_cast<std::uint64_t>(form)) {}
  /// Returns the task to visit an object in a slot of a block of that shape, which may hold references.
  static MarkTask of_slot(const heap::Object* object, heap::BlockShape shape) {
    MarkTask task(object);
    task.bits_ |= shape.contents_and_words();
    return task;
  }
  /// Makes the task to visit the part `node` of the object of `whole`.
  MarkTask(MarkTask whole, std::uint32_t node)
      : bits_((whole.bits_ & (kAddressMask | kFormMask)) | ((node & kLowNodeMask) << kFormBits) |
              (std::uint64_t{node >> kLowNodeBits} << kAddressBits)) {}

  [[nodiscard]] heap::Object* object() const {
    return reinterpret_cast<heap::Object*>(bits_ & kAddressMask);  // NOLINT(performance-no-int-to-ptr)
  }
  [[nodiscard]] Form form() const { return static_cast<Form>(bits_ & kFormMask); }
  /// Returns the slice tree's node, or 0 for a whole object.
  [[nodiscard]] std::uint32_t node() const {
    return static_cast<std::uint32_t>((bits_ >> kFormBits & kLowNodeMask) |
                                      ((bits_ >> kAddressBits) << kLowNodeBits));
  }
  /// Whether the task visits a whole object of Form::references.
  [[nodiscard]] bool is_whole_of_references() const { return (bits_ & ~kAddressMask) == 0; }
  /// Returns the object of a task for which is_whole_of_references() is true.
  [[nodiscard]] heap::Object* whole_object() const {
    return reinterpret_cast<heap::Object*>(bits_);  // NOLINT(performance-no-int-to-ptr)
  }
  /// Whether the form is one of which objects are cut: Form::references or Form::words.
  [[nodiscard]] bool may_have_parts() const { return (bits_ & 2) == 0; }
  /// False for tasks that can be neither a part of a big object nor a whole untyped one.
  [[nodiscard]] bool may_be_slice() const {
    static_assert((static_cast<int>(Form::small_words) & static_cast<int>(Form::by_kind) & 2) != 0);
    return !is_whole_of_references() && may_have_parts();
  }
  /// Whether the form is Form::small_words.
  [[nodiscard]] bool is_small_words() const {
    return ((bits_ - static_cast<std::uint64_t>(Form::small_words)) & kFormMask) == 0;
  }
  /// True only for a small untyped object on one cache line.
  [[nodiscard]] bool is_small_on_one_line() const {
    return !may_have_parts() && (bits_ & heap::BlockShape::kFitsLine) != 0;
  }
  /// True only for a small untyped object of that many words on one cache line.
  [[nodiscard]] bool is_line_of(std::uint64_t words) const {
    return (bits_ & ~kAddressMask) == (kSmallOnOneLine | words << kAddressBits);
  }
  /// Returns the number of words of a small untyped object, which is even.
  [[nodiscard]] std::uint32_t small_words() const {
    return static_cast<std::uint32_t>(bits_ >> kAddressBits);
  }
  /// Returns the words of a small untyped object.
  [[nodiscard]] heap::Words small_object() const { return {heap::words_at(object()), small_words()}; }

 private:
  static constexpr unsigned kAddressBits = 48;
  static constexpr unsigned kFormBits = 2;
  static constexpr unsigned kLowNodeBits = 2;
  static constexpr std::uint64_t kFormMask = (1U << kFormBits) - 1;
  static constexpr std::uint64_t kSmallOnOneLine =
      static_cast<std::uint64_t>(Form::small_words) | heap::BlockShape::kFitsLine;
  static constexpr std::uint64_t kLowNodeMask = (1U << kLowNodeBits) - 1;
  static constexpr std::uint64_t kAddressMask =
      ((std::uint64_t{1} << kAddressBits) - 1) & ~std::uint64_t{heap::kGranuleBytes - 1};
  static_assert(mark::Slices::kNodeLimit <= std::uint32_t{1} << (64 - kAddressBits + kLowNodeBits));
  // The values agree so that of_slot() needs no conversion.
  static_assert(static_cast<int>(Form::references) == static_cast<int>(heap::Contents::references) &&
                static_cast<int>(Form::small_words) == static_cast<int>(heap::Contents::words) &&
                static_cast<int>(Form::by_kind) == static_cast<int>(heap::Contents::by_kind) &&
                kAddressBits == heap::BlockShape::kWordsShift &&
                heap::BlockShape::kFitsLine <= kLowNodeMask << kFormBits);

  std::uint64_t bits_;
};

}  // namespace jackdaw::gc
