#include "tools/graph/identifier_index.h"

#include <random>

#include "tools/graph/random.h"

namespace jackdaw::tools {

namespace {

constexpr std::size_t kFirstTableSize = 16;

std::uint64_t random_key() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

IdentifierIndex::IdentifierIndex() : table_(kFirstTableSize, kAbsent), key_(random_key()) {}

IdentifierIndex::Insertion IdentifierIndex::insert(std::uint64_t identifier) {
  std::size_t place = place_of(identifier);
  if (table_[place] != kAbsent) return {table_[place], false};
  if (2 * (identifiers_.size() + 1) > table_.size()) {
    grow();
    place = place_of(identifier);
  }
  const auto number = static_cast<std::uint32_t>(identifiers_.size());
  identifiers_.push_back(identifier);
  table_[place] = number;
  return {number, true};
}

std::uint32_t IdentifierIndex::number_of(std::uint64_t identifier) const {
  return table_[place_of(identifier)];
}

/// Returns the place of `identifier` in the table, or where it would go.
std::size_t IdentifierIndex::place_of(std::uint64_t identifier) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t place = Random::mix(identifier ^ key_) & mask;
  while (table_[place] != kAbsent && identifiers_[table_[place]] != identifier) place = (place + 1) & mask;
  return place;
}

void IdentifierIndex::grow() {
  // The old table is freed first, which lowers the peak: the new one is filled without it.
  const std::size_t size = 2 * table_.size();
  std::vector<std::uint32_t>().swap(table_);
  table_.assign(size, kAbsent);
  for (std::uint32_t number = 0; number < identifiers_.size(); ++number) {
    table_[place_of(identifiers_[number])] = number;
  }
}

}  // namespace jackdaw::tools
