#include "tools/graph/hprof_strings.h"

#include <algorithm>

#include "tools/command/printable_name.h"

namespace jackdaw::tools {

void HprofStrings::read(std::uint64_t identifier, std::uint64_t bytes, ByteSource& source) {
  const Number number = index_.number_of(identifier);
  if (number == kNone) return;
  texts_.resize(index_.size());
  texts_[number] = name_to_keep(source.read_text(std::min<std::uint64_t>(bytes, kLongestName + 1)));
}

std::uint64_t HprofStrings::table_bytes() const {
  constexpr std::uint64_t kPerText =
      2 * sizeof(std::string) + 2 * kLongestName + IdentifierIndex::kPeakBytesPerIdentifier;
  return index_.size() * kPerText;
}

}  // namespace jackdaw::tools
