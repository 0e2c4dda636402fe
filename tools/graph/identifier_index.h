// IdentifierIndex: numbers the 64-bit identifiers of a heap dump: the first becomes 0, the next new one 1,
// and so on.
//
// It is an open-addressing hash table of 32-bit numbers beside the identifiers in their order: 8 bytes for an
// identifier and 8 to 16 for its share of the table. The hash has a random key, so a file cannot force
// collisions. Invariants: number_of(identifiers[n]) == n; the table is at most half full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace jackdaw::tools {

/// Numbers distinct identifiers in the order of their first appearance.
class IdentifierIndex {
 public:
  /// The number that stands for 'not there'.
  static constexpr std::uint32_t kAbsent = 0xffff'ffff;
  /// An upper bound of the bytes for each identifier, also while the index grows.
  static constexpr std::uint64_t kPeakBytesPerIdentifier = 48;

  IdentifierIndex();

  struct Insertion {
    std::uint32_t number;
    bool is_new;
  };
  /// Returns the number of `identifier`, a new one if it was not there. At most kAbsent identifiers fit.
  Insertion insert(std::uint64_t identifier);

  /// The number of `identifier`, or kAbsent. Constant time, one or two cache misses.
  [[nodiscard]] std::uint32_t number_of(std::uint64_t identifier) const;

  /// How many identifiers there are.
  [[nodiscard]] std::size_t size() const { return identifiers_.size(); }
  /// The identifier with number `number`.
  [[nodiscard]] std::uint64_t identifier(std::uint32_t number) const { return identifiers_[number]; }
  /// Returns all identifiers by number.
  [[nodiscard]] const std::vector<std::uint64_t>& identifiers() const { return identifiers_; }

 private:
  [[nodiscard]] std::size_t place_of(std::uint64_t identifier) const;
  void grow();

  std::vector<std::uint64_t> identifiers_;
  std::vector<std::uint32_t> table_;  ///< numbers or kAbsent; the size is a power of two
  std::uint64_t key_;
};

}  // namespace jackdaw::tools
