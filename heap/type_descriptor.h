// TypeDescriptor: where the objects of one type hold their references.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace jackdaw::heap {

/// The bytes of a machine word, of a reference and of an object's header.
inline constexpr std::size_t kWordBytes = 8;

/// The layout of a type's objects. Every object starts with a header word that names its descriptor, so a
/// descriptor must outlive every object of its type and every collection that may meet one.
///
/// Immutable after construction; may be read from any thread.
class TypeDescriptor {
 public:
  enum class Layout : std::uint8_t {
    none,             ///< holds no reference
    words,            ///< a run of consecutive words are references or null
    offsets,          ///< the words at the given places are references or null
    reference_array,  ///< header, length, then as many references as the length says
  };

  /// A run of words; word 0 of an object is its header.
  struct Words {
    std::uint32_t first = 1;
    std::uint32_t count = 0;
  };

  /// Objects without references. `object_bytes`: header included; 0 when every object is given its own size.
  static TypeDescriptor none(std::size_t object_bytes) { return {Layout::none, object_bytes, {}, {}}; }
  /// Objects of `object_bytes` bytes, header included and a multiple of a word, all references.
  static TypeDescriptor all_words(std::size_t object_bytes) {
    return of_words(object_bytes, {1, static_cast<std::uint32_t>(object_bytes / kWordBytes - 1)});
  }
  /// Objects of `object_bytes` bytes with references in the words numbered in `words`; word 0 is the header,
  /// so the first field is word 1. Numbers that ascend one by one are a run, which is visited faster.
  static TypeDescriptor offsets(std::size_t object_bytes, std::vector<std::uint32_t> words) {
    if (words.empty()) return none(object_bytes);
    if (is_run(words)) return of_words(object_bytes, {words[0], static_cast<std::uint32_t>(words.size())});
    return {Layout::offsets, object_bytes, {}, std::move(words)};
  }
  /// Arrays of references; each object says its length.
  static TypeDescriptor reference_array() { return {Layout::reference_array, 0, {}, {}}; }

  /// Returns the type of slots that hold no object yet, so that a stale address into such a slot leads to an
  /// object without references.
  static const TypeDescriptor& unused();

  [[nodiscard]] Layout layout() const { return layout_; }
  [[nodiscard]] bool holds_references() const { return layout_ != Layout::none; }
  /// Bytes of an object, header included; 0 when objects of this type differ in size.
  [[nodiscard]] std::size_t object_bytes() const { return object_bytes_; }
  /// The words that hold references, for Layout::words.
  [[nodiscard]] Words words() const { return words_; }
  /// The words that hold references, for Layout::offsets.
  [[nodiscard]] std::span<const std::uint32_t> reference_words() const { return reference_words_; }

 private:
  TypeDescriptor(Layout layout, std::size_t object_bytes, Words words,
                 std::vector<std::uint32_t> reference_words)
      : layout_(layout),
        words_(words),
        object_bytes_(object_bytes),
        reference_words_(std::move(reference_words)) {}

  static TypeDescriptor of_words(std::size_t object_bytes, Words words) {
    return {words.count == 0 ? Layout::none : Layout::words, object_bytes, words, {}};
  }

  static bool is_run(std::span<const std::uint32_t> words) {
    return std::ranges::adjacent_find(
               words, [](std::uint32_t word, std::uint32_t next) { return next != word + 1; }) == words.end();
  }

  Layout layout_;
  Words words_;
  std::size_t object_bytes_;
  std::vector<std::uint32_t> reference_words_;
};

}  // namespace jackdaw::heap
