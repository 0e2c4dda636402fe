// MarkTask: an object to visit, or one part of a big array, in eight bytes.
//
// An object's address is a multiple of 16 and below 2^48, which leaves 4 bits below and 16 bits above it. Two
// say how the object is to be visited; in the others there is room for a node of a big object's slice tree
// (mark/slices.h). Node 0, which no tree has, stands for an object as it was marked. For a small object of
// words that room holds how many words it has, and whether it lies on one cache line: visiting it takes no
// look-up.
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
  MarkTask() = default;  // uninitialised, so that arrays of tasks cost nothing to make

  /// How the object is to be visited.
  enum class Form : std::uint8_t {
    references,   ///< heap::Contents::references
    words,        ///< heap::Contents::words, large
    small_words,  ///< heap::Contents::words, in a slot
    by_kind,      ///< heap::Contents::by_kind
  };

  /// The task to visit a whole object in that form.
  explicit MarkTask(const heap::Object* object, Form form = Form::references)
      : bits_(reinterpret_cast<std::uint64_t>(object) | static_cast<std::uint64_t>(form)) {}
  /// The task to visit an object in a slot of a block of that shape, which holds no data.
  static MarkTask of_slot(const heap::Object* object, heap::BlockShape shape) {
    MarkTask task(object);
    task.bits_ |= shape.contents_and_words();
    return task;
  }
  /// The task to visit the part that `node` names of the object that `whole` is about.
  MarkTask(MarkTask whole, std::uint32_t node)
      : bits_((whole.bits_ & (kAddressMask | kFormMask)) | ((node & kLowNodeMask) << kFormBits) |
              (std::uint64_t{node >> kLowNodeBits} << kAddressBits)) {}

  [[nodiscard]] heap::Object* object() const {
    return reinterpret_cast<heap::Object*>(bits_ & kAddressMask);  // NOLINT(performance-no-int-to-ptr)
  }
  [[nodiscard]] Form form() const { return static_cast<Form>(bits_ & kFormMask); }
  /// The slice tree's node, or 0 for a whole object.
  [[nodiscard]] std::uint32_t node() const {
    return static_cast<std::uint32_t>((bits_ >> kFormBits & kLowNodeMask) |
                                      ((bits_ >> kAddressBits) << kLowNodeBits));
  }
  /// Whether it is to visit a whole object of Form::references.
  [[nodiscard]] bool is_whole_of_references() const { return (bits_ & ~kAddressMask) == 0; }
  /// The object that such a task visits.
  [[nodiscard]] heap::Object* whole_object() const {
    return reinterpret_cast<heap::Object*>(bits_);  // NOLINT(performance-no-int-to-ptr)
  }
  /// False for what cannot be a part of a big object, nor a whole one of words.
  [[nodiscard]] bool may_be_slice() const {
    static_assert((static_cast<int>(Form::small_words) & static_cast<int>(Form::by_kind) & 2) != 0);
    return (bits_ & 2) == 0 && !is_whole_of_references();
  }
  /// Whether it is of Form::small_words.
  [[nodiscard]] bool is_small_words() const {
    return ((bits_ - static_cast<std::uint64_t>(Form::small_words)) & kFormMask) == 0;
  }
  /// False unless it is a small object of words that lies on one cache line.
  [[nodiscard]] bool is_small_on_one_line() const {
    constexpr std::uint64_t kSmallOnOneLine =
        static_cast<std::uint64_t>(Form::small_words) | heap::BlockShape::kFitsLine;
    return (bits_ & (kFormMask | heap::BlockShape::kFitsLine)) == kSmallOnOneLine;
  }
  /// How many words a small object of words has.
  [[nodiscard]] std::uint32_t small_words() const {
    return static_cast<std::uint32_t>(bits_ >> kAddressBits);
  }
  /// Its words: an even number.
  [[nodiscard]] heap::Words small_object() const { return {heap::words_at(object()), small_words()}; }

 private:
  static constexpr unsigned kAddressBits = 48;
  static constexpr unsigned kFormBits = 2;
  static constexpr unsigned kLowNodeBits = 2;
  static constexpr std::uint64_t kFormMask = (1U << kFormBits) - 1;
  static constexpr std::uint64_t kLowNodeMask = (1U << kLowNodeBits) - 1;
  static constexpr std::uint64_t kAddressMask =
      ((std::uint64_t{1} << kAddressBits) - 1) & ~std::uint64_t{heap::kGranuleBytes - 1};
  static_assert(mark::Slices::kNodeLimit <= std::uint32_t{1} << (64 - kAddressBits + kLowNodeBits));
  // So that of_slot need not ask what it is.
  static_assert(static_cast<int>(Form::references) == static_cast<int>(heap::Contents::references) &&
                static_cast<int>(Form::small_words) == static_cast<int>(heap::Contents::words) &&
                static_cast<int>(Form::by_kind) == static_cast<int>(heap::Contents::by_kind) &&
                kAddressBits == heap::BlockShape::kWordsShift &&
                heap::BlockShape::kFitsLine <= kLowNodeMask << kFormBits);

  std::uint64_t bits_;
};

}  // namespace jackdaw::gc
