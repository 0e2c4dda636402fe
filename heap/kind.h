// Kind: what the objects of a block have in common. A block holds objects of one kind, so that objects need
// no header for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace jackdaw::heap {

/// How a marker finds the references of an object. The block tells, so an object without references is not
/// touched.
enum class Contents : std::uint8_t {
  references,  ///< where the TypeDescriptor says, to which the object's first word leads
  data,        ///< no reference
  words,       ///< no descriptor: any word may be the address of an object, or of a place in one
  by_kind,     ///< as Kind::layout says, which the heap does not interpret
};
inline constexpr std::size_t kContentsCount = 4;

/// The properties of a kind.
struct Kind {
  Contents contents = Contents::words;
  /// Whether allocation clears the objects.
  bool is_cleared = true;
  /// Whether a collection frees unreachable objects. Others live until they are explicitly freed.
  bool is_collectable = true;
  /// Whether objects begin with a CheckedHeader (checked_header.h).
  bool is_checked = false;
  /// The layout for Contents::by_kind, and whether an object's bytes are added to it.
  std::uint64_t layout = 0;
  bool layout_adds_bytes = false;
};

/// The number of a kind in its heap. Every heap has those with a name.
enum class KindNumber : std::uint8_t { references, data, words };

/// The kinds of one heap. One thread at a time adds a kind, before an object of it is allocated; any thread
/// reads those that were added.
class KindTable {
 public:
  static constexpr std::size_t kMaximumKinds = 32;

  /// Adds a kind and returns its number, or nothing when there are kMaximumKinds.
  std::optional<KindNumber> add(const Kind& kind) {
    if (count_ == kMaximumKinds) return std::nullopt;
    kinds_[count_] = kind;
    return static_cast<KindNumber>(count_++);
  }
  [[nodiscard]] const Kind& operator[](KindNumber number) const {
    return kinds_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::array<Kind, kMaximumKinds> kinds_{Kind{Contents::references}, Kind{Contents::data},
                                         Kind{Contents::words}};
  std::size_t count_ = 3;
};

}  // namespace jackdaw::heap
