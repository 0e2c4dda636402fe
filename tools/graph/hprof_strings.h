// HprofStrings: the texts of a Java heap dump that are wanted, out of its many string records.
//
// A text is wanted in the first pass over the dump and read in the second, so that those of no interest take
// no memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/graph/byte_source.h"
#include "tools/graph/identifier_index.h"

namespace jackdaw::tools {

class HprofStrings {
 public:
  using Number = std::uint32_t;
  static constexpr Number kNone = IdentifierIndex::kAbsent;

  /// Returns a number for the text of the string record with this identifier.
  Number want(std::uint64_t identifier) { return index_.insert(identifier).number; }
  /// Keeps the beginning of the next `bytes` of the source if the string record is wanted. To be called when
  /// all are.
  void read(std::uint64_t identifier, std::uint64_t bytes, ByteSource& source);
  /// Returns the text; empty for kNone and where the dump has no such record.
  [[nodiscard]] std::string text(Number number) const {
    return number < texts_.size() ? texts_[number] : std::string();
  }
  /// Returns an upper bound of the bytes that the texts take or will take.
  [[nodiscard]] std::uint64_t table_bytes() const;

 private:
  IdentifierIndex index_;
  std::vector<std::string> texts_;
};

}  // namespace jackdaw::tools
