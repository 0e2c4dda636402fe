// Slices: how a big array is cut into tasks of bounded size that several workers can share.
//
// The slices are the leaves of a complete binary tree whose nodes are numbered as in a heap: the root is 1,
// the children of node i are 2i and 2i + 1. A task names one node, hence a range of the array, in a few bits.
// A worker that takes a node keeps the left half and leaves the right half in the queue, until the range is
// one slice. So the parts at the bottom of a queue, which thieves take first, are the largest, and any part
// is reached in a logarithmic number of steps.
#pragma once

#include <bit>
#include <cstdint>

namespace jackdaw::mark {

/// The slice tree of one array. A value type; all operations are O(1) and exact for every length.
class Slices {
 public:
  /// The elements of a slice, unless the array is so long that there would be more than kMaximumSlices.
  static constexpr std::uint64_t kSliceElements = 128;
  static constexpr std::uint64_t kMaximumSlices = std::uint64_t{1} << 17;
  /// The node that stands for the whole array.
  static constexpr std::uint32_t kWhole = 1;
  /// All node numbers are below this.
  static constexpr std::uint32_t kNodeLimit = static_cast<std::uint32_t>(2 * kMaximumSlices);

  /// A part of the array: [begin, end).
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };

  explicit Slices(std::uint64_t elements)
      : elements_(elements),
        leaves_(std::bit_ceil(needed_slices(elements))),
        slice_elements_(divide_up(elements, leaves_)) {}

  /// Whether an array of `elements` elements is cut at all.
  static bool is_cut(std::uint64_t elements) { return elements > kSliceElements; }

  /// Whether `node` is one slice.
  [[nodiscard]] bool is_slice(std::uint32_t node) const { return node >= leaves_; }

  /// These return the half that the worker that takes `node` keeps, and the half that it leaves in the queue.
  static std::uint32_t kept_half(std::uint32_t node) { return 2 * node; }
  static std::uint32_t waiting_half(std::uint32_t node) { return 2 * node + 1; }

  /// Returns the elements of `node`; empty when it lies past the array's end.
  [[nodiscard]] Range range_of(std::uint32_t node) const {
    const auto level = static_cast<unsigned>(std::bit_width(node)) - 1;
    const std::uint64_t first_of_level = std::uint64_t{1} << level;
    const std::uint64_t slices_per_node = leaves_ >> level;
    const std::uint64_t first_slice = (node - first_of_level) * slices_per_node;
    return {clamp(first_slice * slice_elements_), clamp((first_slice + slices_per_node) * slice_elements_)};
  }

 private:
  static std::uint64_t divide_up(std::uint64_t value, std::uint64_t divisor) {
    return value / divisor + (value % divisor != 0);
  }
  static std::uint64_t needed_slices(std::uint64_t elements) {
    const std::uint64_t slices = divide_up(elements, kSliceElements);
    if (slices == 0) return 1;
    return slices < kMaximumSlices ? slices : kMaximumSlices;
  }
  [[nodiscard]] std::uint64_t clamp(std::uint64_t element) const {
    return element < elements_ ? element : elements_;
  }

  std::uint64_t elements_;
  std::uint64_t leaves_;  // a power of two
  std::uint64_t slice_elements_;
};

}  // namespace jackdaw::mark
