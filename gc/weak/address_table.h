// AddressTable: a hash table from addresses to values, for the collector's own tables.
//
// It has open addressing with linear probing in one array, which is at most three quarters full and grows by
// half. An erased entry is replaced by those behind it that were displaced, so that no tombstones are left.
// (Knuth, The Art of Computer Programming, vol. 3, 6.4, algorithms L and R.)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/page_array.h"

namespace jackdaw::gc {

/// Used by one thread at a time, which may be the collecting one while the others are stopped; several may
/// call find() while no thread changes the table. Its memory is no root. It grows and does not shrink.
template <typename Value>
class AddressTable {
 public:
  /// The result of insert().
  struct Insertion {
    Value* value;  ///< valid until the next insertion or erasure; null when there is no memory
    bool is_new;   ///< whether the address was not in the table
  };

  AddressTable() = default;
  AddressTable(const AddressTable&) = delete;
  AddressTable& operator=(const AddressTable&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Returns the value of `address`, or null. O(1).
  [[nodiscard]] const Value* find(std::uintptr_t address) const {
    const std::size_t place = place_of(address);
    return place == kNowhere ? nullptr : &entries_[place].value;
  }
  [[nodiscard]] Value* find(std::uintptr_t address) {
    const std::size_t place = place_of(address);
    return place == kNowhere ? nullptr : &entries_[place].value;
  }

  /// Returns the value of `address`, which is not 0; a new one is zeroed. Amortised O(1).
  Insertion insert(std::uintptr_t address) {
    JACKDAW_CHECK(address != 0);
    if (!entries_.empty()) {
      const std::size_t place = place_for(address);
      if (entries_[place].address == address) return {&entries_[place].value, false};
      if (has_room()) return {&put_at(place, {address, {}}), true};
    }
    if (!grow()) return {nullptr, false};
    return {&put_at(place_for(address), {address, {}}), true};
  }

  /// Erases `address` and returns whether it was in the table. O(1).
  bool erase(std::uintptr_t address) {
    const std::size_t place = place_of(address);
    if (place == kNowhere) return false;
    erase_at(place);
    return true;
  }

  /// Erases the entries for which `is_unwanted(address, Value&)` is true, and calls it once for each. O(the
  /// most that the table ever held).
  template <typename Predicate>
  void erase_if(Predicate is_unwanted) {
    if (size_ == 0) return;
    std::size_t gap = kNowhere;
    for (std::size_t piece = 0; piece < entries_.size(); piece += kPiece)
      gap = erase_unwanted(piece, gap, is_unwanted);
    // The last row of entries may continue at the array's start.
    if (gap == kNowhere) return;
    for (std::size_t place = 0; entries_[place].address != 0; ++place) move_back(place, gap);
  }

  /// Calls `function(address, const Value&)` for each entry, in no order. O(the most that it ever held).
  template <typename Function>
  void for_each(Function function) const {
    if (size_ == 0) return;
    for (std::size_t piece = 0; piece < entries_.size(); piece += kPiece) {
      const Used used = used_in_piece(piece);
      for (std::size_t i = 0; i != used.count; ++i) {
        const Entry& entry = entries_[used.places[i]];
        function(entry.address, entry.value);
      }
    }
  }

  /// Removes all entries and keeps the memory. O(the most that it ever held), or O(1) when it is empty.
  void clear() {
    if (size_ == 0) return;
    std::fill_n(entries_.data(), entries_.size(), Entry{});
    size_ = 0;
  }

  /// Removes all entries and gives the memory back. O(1).
  void release() {
    entries_ = {};
    size_ = 0;
  }

 private:
  struct Entry {
    std::uintptr_t address = 0;  // 0: free
    Value value{};
  };
  static constexpr std::size_t kFirstLength = 256;
  // Entries are visited piece by piece: a branch for each place that may be free would be mispredicted.
  static constexpr std::size_t kPiece = 64;
  static_assert(kFirstLength % kPiece == 0);
  // This lists the places in a piece that are not free.
  struct Used {
    std::array<std::size_t, kPiece> places;
    std::size_t count = 0;
  };
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  [[nodiscard]] bool has_room() const { return 4 * (size_ + 1) <= 3 * entries_.size(); }
  [[nodiscard]] std::size_t next(std::size_t place) const {
    return place + 1 != entries_.size() ? place + 1 : 0;
  }
  // Returns how many places `to` lies behind `from`, around the array's end.
  [[nodiscard]] std::size_t distance(std::size_t from, std::size_t to) const {
    return to >= from ? to - from : to + entries_.size() - from;
  }
  // The home of an address is given by the high bits of its product with 2^64 over the golden ratio, which
  // spreads neighbouring addresses. They are a fraction of 2^32, and the length is less.
  [[nodiscard]] std::size_t home_of(std::uintptr_t address) const {
    return ((address * 0x9e3779b97f4a7c15) >> 32) * entries_.size() >> 32;
  }

  [[nodiscard]] std::size_t place_of(std::uintptr_t address) const {
    if (size_ == 0) return kNowhere;
    const std::size_t place = place_for(address);
    return entries_[place].address != 0 ? place : kNowhere;
  }
  // Returns the place of `address`, or the free one that it would have. There are places.
  [[nodiscard]] std::size_t place_for(std::uintptr_t address) const {
    std::size_t place = home_of(address);
    while (entries_[place].address != 0 && entries_[place].address != address) place = next(place);
    return place;
  }

  [[nodiscard]] Used used_in_piece(std::size_t piece) const {
    Used used;
    std::size_t count = 0;
    for (std::size_t place = piece; place != piece + kPiece; ++place) {
      used.places[count] = place;
      count += entries_[place].address != 0 ? 1 : 0;
    }
    used.count = count;
    return used;
  }

  // Erases the unwanted entries of a piece. `gap` is the first place that was freed in the row of entries
  // that ends right before the piece, or kNowhere; returns the same for what follows the piece.
  template <typename Predicate>
  std::size_t erase_unwanted(std::size_t piece, std::size_t gap, Predicate& is_unwanted) {
    const Used used = used_in_piece(piece);
    std::array<bool, kPiece> unwanted;
    bool has_gaps = gap != kNowhere;
    for (std::size_t i = 0; i != used.count; ++i) {
      Entry& entry = entries_[used.places[i]];
      unwanted[i] = is_unwanted(entry.address, entry.value);
      has_gaps |= unwanted[i];
    }
    if (!has_gaps) return kNowhere;
    std::size_t end_of_row = piece;
    for (std::size_t i = 0; i != used.count; ++i) {
      const std::size_t place = used.places[i];
      if (place != end_of_row) gap = kNowhere;
      end_of_row = place + 1;
      if (unwanted[i]) {
        entries_[place] = {};
        --size_;
        if (gap == kNowhere) gap = place;
      } else if (gap != kNowhere) {
        move_back(place, gap);
      }
    }
    return end_of_row == piece + kPiece ? gap : kNowhere;
  }

  // Moves an entry to the first free place from its home on, if that lies before it. No place of its row is
  // free before `gap`.
  void move_back(std::size_t place, std::size_t gap) {
    const std::size_t home = home_of(entries_[place].address);
    std::size_t to = distance(home, place) < distance(gap, place) ? home : gap;
    while (to != place && entries_[to].address != 0) to = next(to);
    if (to == place) return;
    entries_[to] = entries_[place];
    entries_[place] = {};
  }

  // Puts an entry at the free place that it is to have; there must be room.
  Value& put_at(std::size_t place, const Entry& entry) {
    JACKDAW_CHECK(has_room() && entries_[place].address == 0);
    entries_[place] = entry;
    ++size_;
    return entries_[place].value;
  }

  void erase_at(std::size_t hole) {
    JACKDAW_CHECK(size_ != 0 && entries_[hole].address != 0);
    for (std::size_t place = next(hole); entries_[place].address != 0; place = next(place)) {
      // An entry whose home lies behind the hole stays, or it could not be found.
      if (distance(home_of(entries_[place].address), place) < distance(hole, place)) continue;
      entries_[hole] = entries_[place];
      hole = place;
    }
    entries_[hole] = {};
    --size_;
  }

  bool grow() {
    const std::size_t length = entries_.size() + entries_.size() / 2;
    base::PageArray<Entry> entries(std::max(kFirstLength, (length + kPiece - 1) / kPiece * kPiece));
    if (entries.empty()) return false;
    std::swap(entries, entries_);
    size_ = 0;
    for (const Entry& entry : std::span(entries.data(), entries.size())) {
      if (entry.address != 0) put_at(place_for(entry.address), entry);
    }
    return true;
  }

  base::PageArray<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace jackdaw::gc
