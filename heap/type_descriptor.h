// TypeDescriptor: where the objects of one type hold their references.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace jackdaw::heap {

/// Bytes of a machine word, a reference and an object's header.
inline constexpr std::size_t kWordBytes = 8;

/// The layout of a type's objects. Every object starts with a header word that names its descriptor, so a
/// descriptor must outlive every object of its type and every collection that may meet one.
///
/// Immutable after construction; may be read from any thread.
class TypeDescriptor {
 public:
  enum class Layout : std::uint8_t {
    none,             ///< holds no reference
    all_words,        ///< every word after the header is a reference or null
    offsets,          ///< the words at the given places are references or null
    reference_array,  ///< header, length, then as many references as the length says
  };

  /// Objects without references. `object_bytes`: header included; 0 when every object is given its own size.
  static TypeDescriptor none(std::size_t object_bytes) { return {Layout::none, object_bytes, {}}; }
  /// Objects of `object_bytes` bytes, header included and a multiple of a word, all references.
  static TypeDescriptor all_words(std::size_t object_bytes) { return {Layout::all_words, object_bytes, {}}; }
  /// Objects of `object_bytes` bytes with references in the words numbered in `words`; word 0 is the header,
  /// so the first field is word 1.
  static TypeDescriptor offsets(std::size_t object_bytes, std::vector<std::uint32_t> words) {
    return {Layout::offsets, object_bytes, std::move(words)};
  }
  /// Arrays of references; each object says its length.
  static TypeDescriptor reference_array() { return {Layout::reference_array, 0, {}}; }

  [[nodiscard]] Layout layout() const { return layout_; }
  [[nodiscard]] bool holds_references() const { return layout_ != Layout::none; }
  /// Bytes of an object, header included; 0 when objects of this type differ in size.
  [[nodiscard]] std::size_t object_bytes() const { return object_bytes_; }
  /// The words that hold references, for Layout::offsets.
  [[nodiscard]] std::span<const std::uint32_t> reference_words() const { return reference_words_; }

 private:
  TypeDescriptor(Layout layout, std::size_t object_bytes, std::vector<std::uint32_t> words)
      : layout_(layout), object_bytes_(object_bytes), reference_words_(std::move(words)) {}

  Layout layout_;
  std::size_t object_bytes_;
  std::vector<std::uint32_t> reference_words_;
};

}  // namespace jackdaw::heap
