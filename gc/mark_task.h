// MarkTask: an object to visit, or one part of a big array, in eight bytes.
//
// An object's address is a multiple of 16 and below 2^48, which leaves 4 bits below and 16 bits above it. Two
// say how the object is to be visited; in the others there is room for a node of a big object's slice tree
// (mark/slices.h). Node 0, which no tree has, stands for an object as it was marked.
#pragma once

#include <cstdint>

#include "heap/chunk.h"
#include "heap/object.h"
#include "mark/slices.h"

namespace jackdaw::gc {

class MarkTask {
 public:
  MarkTask() = default;  // uninitialised, so that arrays of tasks cost nothing to make

  /// The task to visit a whole object that holds `contents`.
  explicit MarkTask(const heap::Object* object, heap::Contents contents = heap::Contents::references)
      : bits_(reinterpret_cast<std::uint64_t>(object) | static_cast<std::uint64_t>(contents)) {}
  /// The task to visit the part that `node` names of the object that `whole` is about.
  MarkTask(MarkTask whole, std::uint32_t node)
      : bits_((whole.bits_ & (kAddressMask | kContentsMask)) | ((node & kLowNodeMask) << kContentsBits) |
              (std::uint64_t{node >> kLowNodeBits} << kAddressBits)) {}

  [[nodiscard]] heap::Object* object() const {
    return reinterpret_cast<heap::Object*>(bits_ & kAddressMask);  // NOLINT(performance-no-int-to-ptr)
  }
  [[nodiscard]] heap::Contents contents() const { return static_cast<heap::Contents>(bits_ & kContentsMask); }
  /// The slice tree's node, or 0 for a whole object.
  [[nodiscard]] std::uint32_t node() const {
    return static_cast<std::uint32_t>((bits_ >> kContentsBits & kLowNodeMask) |
                                      ((bits_ >> kAddressBits) << kLowNodeBits));
  }

 private:
  static constexpr unsigned kAddressBits = 48;
  static constexpr unsigned kContentsBits = 2;
  static constexpr unsigned kLowNodeBits = 2;
  static constexpr std::uint64_t kContentsMask = (1U << kContentsBits) - 1;
  static constexpr std::uint64_t kLowNodeMask = (1U << kLowNodeBits) - 1;
  static constexpr std::uint64_t kAddressMask =
      ((std::uint64_t{1} << kAddressBits) - 1) & ~std::uint64_t{heap::kGranuleBytes - 1};
  static_assert(mark::Slices::kNodeLimit <= std::uint32_t{1} << (64 - kAddressBits + kLowNodeBits));
  static_assert(heap::kContentsCount <= kContentsMask + 1);

  std::uint64_t bits_;
};

}  // namespace jackdaw::gc
