// MarkTask: an object to visit, or one part of a big array, in eight bytes.
//
// An object's address is a multiple of 16 and below 2^48, which leaves 4 bits below and 16 bits above it:
// room for a node of the array's slice tree (mark/slices.h). Node 0, which no tree has, stands for an object
// as it was marked.
#pragma once

#include <cstdint>

#include "heap/object.h"
#include "mark/slices.h"

namespace jackdaw::gc {

class MarkTask {
 public:
  MarkTask() = default;  // uninitialised, so that arrays of tasks cost nothing to make

  /// The task to visit a whole object.
  explicit MarkTask(const heap::Object* object) : bits_(reinterpret_cast<std::uint64_t>(object)) {}
  /// The task to visit the part of a reference array that `node` names.
  MarkTask(const heap::Object* array, std::uint32_t node)
      : bits_(reinterpret_cast<std::uint64_t>(array) | (node & kLowMask) |
              (std::uint64_t{node >> kLowBits} << kAddressBits)) {}

  [[nodiscard]] heap::Object* object() const {
    return reinterpret_cast<heap::Object*>(bits_ & kAddressMask);  // NOLINT(performance-no-int-to-ptr)
  }
  /// The slice tree's node, or 0 for a whole object.
  [[nodiscard]] std::uint32_t node() const {
    return static_cast<std::uint32_t>((bits_ & kLowMask) | ((bits_ >> kAddressBits) << kLowBits));
  }

 private:
  static constexpr unsigned kAddressBits = 48;
  static constexpr unsigned kLowBits = 4;
  static constexpr std::uint64_t kLowMask = (1U << kLowBits) - 1;
  static constexpr std::uint64_t kAddressMask = ((std::uint64_t{1} << kAddressBits) - 1) & ~kLowMask;
  static_assert(mark::Slices::kNodeLimit <= std::uint32_t{1} << (64 - kAddressBits + kLowBits));

  std::uint64_t bits_;
};

}  // namespace jackdaw::gc
