// BlockMap: from any address to the object that it points into, as far as the division of blocks tells.
//
// One entry of eight bytes for each block of the heap's address space. It says how the block is divided, so
// that a look-up is a comparison, one load and a multiplication, and touches nothing but the map, whatever
// the address. The entry of a block without objects is zero.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "base/prefetch.h"
#include "heap/displacements.h"
#include "heap/kind.h"
#include "heap/layout.h"
#include "heap/object.h"
#include "heap/span_sizes.h"

namespace jackdaw::heap {

/// How a block is divided into objects, in eight bytes.
class BlockShape {
 public:
  /// A block without objects.
  constexpr BlockShape() = default;
  /// A block of slots of `slot_bytes` bytes, a multiple of kGranuleBytes and at most half a block.
  static constexpr BlockShape of_slots(std::uint32_t slot_bytes, Contents contents) {
    JACKDAW_CHECK(slot_bytes != 0 && slot_bytes % kGranuleBytes == 0 && slot_bytes <= kBlockBytes / 2);
    const std::uint64_t granules = slot_bytes / kGranuleBytes;
    const BlockShape shape(kSlots | std::uint64_t{slot_bytes} << kSlotShift |
                           ((kReciprocalOne + granules - 1) / granules) << kReciprocalShift);
    return shape.with_contents(contents);
  }
  /// Returns the shape of slots of the same size with other contents.
  [[nodiscard]] constexpr BlockShape with_contents(Contents contents) const {
    const bool has_words = contents == Contents::words;
    const std::uint64_t words = has_words ? slot_bytes() / kWordBytes : 0;
    const bool fits = has_words && base::kCacheLineBytes % slot_bytes() == 0;
    return BlockShape((bits_ & ~(kWordsMask | kFitsLine | kHoldsData | kContentsMask)) |
                      words << kWordsShift | std::uint64_t{fits} * kFitsLine |
                      (contents == Contents::data ? kHoldsData : 0) | static_cast<std::uint64_t>(contents));
  }
  /// A block of a large object that starts at the start of the block `blocks_back` blocks before it. If
  /// `keeps_nothing`, addresses in it do not count as references to the object.
  static constexpr BlockShape of_large(std::uint32_t blocks_back, Contents contents,
                                       bool keeps_nothing = false) {
    return BlockShape(kLarge | (keeps_nothing ? kKeepsNothing : 0) |
                      (contents == Contents::data ? kLargeData : 0) | blocks_back);
  }
  /// Block `block` of a span of slots of `quarters` quarters of a block.
  static constexpr BlockShape of_span(std::uint32_t block, std::uint32_t quarters, Contents contents) {
    const std::uint32_t before = block * kQuartersPerBlock;
    const std::uint32_t first = before / quarters * quarters;  // the start of the slot that it begins in
    const std::uint32_t second = first + quarters - before;
    return BlockShape(of_large(block - first / kQuartersPerBlock, contents).bits_ |
                      std::uint64_t{first % kQuartersPerBlock} << kFirstShift |
                      std::uint64_t{second < kQuartersPerBlock ? second : 0} << kSecondShift);
  }
  static constexpr BlockShape from_bits(std::uint64_t bits) { return BlockShape(bits); }

  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] constexpr bool holds_objects() const { return bits_ != 0; }
  [[nodiscard]] constexpr bool holds_slots() const { return (bits_ & kSlots) != 0; }
  [[nodiscard]] constexpr bool is_large() const { return (bits_ & kLarge) != 0; }
  [[nodiscard]] constexpr bool keeps_nothing() const { return (bits_ & kKeepsNothing) != 0; }
  /// Whether there are objects that may hold references.
  [[nodiscard]] constexpr bool may_hold_references() const {
    return holds_slots() ? contents() != Contents::data : (bits_ & (kLarge | kLargeData)) == kLarge;
  }
  /// Returns how many blocks before this one the large object starts, or the span's slot that this block
  /// begins in.
  [[nodiscard]] constexpr std::uint32_t blocks_back() const { return static_cast<std::uint32_t>(bits_); }
  /// Returns how many bytes behind the start of the block the large object starts that byte `offset` of it
  /// belongs to. O(1).
  [[nodiscard]] constexpr std::intptr_t large_offset(std::size_t offset) const {
    const auto second = static_cast<std::size_t>(bits_ >> kSecondShift & kQuarterMask) * kQuarterBytes;
    if (second != 0 && offset >= second) return static_cast<std::intptr_t>(second);
    return static_cast<std::intptr_t>((bits_ >> kFirstShift & kQuarterMask) * kQuarterBytes) -
           static_cast<std::intptr_t>(blocks_back() * kBlockBytes);
  }
  /// Returns how many bytes each slot has, in a block of slots.
  [[nodiscard]] constexpr std::uint32_t slot_bytes() const {
    return static_cast<std::uint32_t>(bits_ >> kSlotShift) & kSlotMask;
  }
  /// Returns what the objects of a block of slots hold.
  [[nodiscard]] constexpr Contents contents() const { return static_cast<Contents>(bits_ & kContentsMask); }
  /// Whether it has slots whose objects hold no references.
  [[nodiscard]] constexpr bool holds_data() const { return (bits_ & kHoldsData) != 0; }
  /// Whether it has slots of Contents::words, none of which lies on more than one cache line.
  [[nodiscard]] constexpr bool fits_line() const { return (bits_ & kFitsLine) != 0; }
  /// A block of slots has its contents in the two lowest bits here, kFitsLine if fits_line(), and, for
  /// Contents::words, the words of a slot from bit kWordsShift on. All other bits are zero.
  [[nodiscard]] constexpr std::uint64_t contents_and_words() const {
    return bits_ & (kContentsMask | kFitsLine | kWordsMask);
  }
  static constexpr unsigned kWordsShift = 48;
  static constexpr std::uint64_t kFitsLine = std::uint64_t{1} << 2;
  /// Returns how many words each slot has if the contents are Contents::words, and 0 otherwise.
  [[nodiscard]] constexpr std::uint32_t words() const {
    return static_cast<std::uint32_t>((bits_ & kWordsMask) >> kWordsShift);
  }
  /// Returns how many bytes behind the start of a block of slots the slot begins that granule `granule` of it
  /// lies in. What is left behind the last slot counts as a slot. O(1).
  [[nodiscard]] constexpr std::uint32_t slot_offset(std::uint32_t granule) const {
    JACKDAW_CHECK(holds_slots() && granule < kGranulesPerBlock);
    const std::uint32_t reciprocal = static_cast<std::uint32_t>(bits_) >> kReciprocalShift;
    return (granule * reciprocal >> kReciprocalBits) * slot_bytes();
  }

 private:
  // From the low bits: the contents (2), kFitsLine, kHoldsData, the slot's reciprocal (21), nothing (7), the
  // slot's bytes (16), its words (11). The reciprocal is rounded up; for granules below 1024 and slots of up
  // to 512 the product's error stays below one part in 2^20. A block of large objects has the blocks back
  // (32), the quarter of that block where its first object starts, and the quarter of its own where its
  // second one does, or 0.
  static constexpr std::uint64_t kContentsMask = 3;
  static_assert(kContentsCount <= kContentsMask + 1);
  static constexpr std::uint64_t kHoldsData = std::uint64_t{1} << 3;
  static constexpr unsigned kReciprocalShift = 4;
  static constexpr unsigned kReciprocalBits = 20;
  static constexpr std::uint64_t kReciprocalOne = std::uint64_t{1} << kReciprocalBits;
  static constexpr unsigned kSlotShift = 32;
  static constexpr std::uint32_t kSlotMask = 0xffff;
  static constexpr std::uint64_t kWordsMask = std::uint64_t{0x7ff} << kWordsShift;
  static_assert(kBlockBytes / 2 / kWordBytes <= kWordsMask >> kWordsShift);
  static constexpr unsigned kFirstShift = 32;
  static constexpr unsigned kSecondShift = 34;
  static constexpr std::uint64_t kQuarterMask = kQuartersPerBlock - 1;
  static constexpr std::uint64_t kLargeData = std::uint64_t{1} << 59;
  static constexpr std::uint64_t kKeepsNothing = std::uint64_t{1} << 61;
  static constexpr std::uint64_t kLarge = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kSlots = std::uint64_t{1} << 63;
  static_assert(kGranulesPerBlock < std::size_t{1} << 11);

  explicit constexpr BlockShape(std::uint64_t bits) : bits_(bits) {}

  std::uint64_t bits_ = 0;
};

/// The map over one range of addresses, which may become longer. Look-ups may run on any thread at any time;
/// one thread at a time writes. Does not own its entries.
class BlockMap {
 public:
  BlockMap() = default;
  /// Makes the map for the addresses from `start` on, a multiple of kBlockBytes, of one entry for each block,
  /// all zero, and as many bytes, all zero, for what was blacklisted.
  BlockMap(std::uintptr_t start, std::span<std::uint64_t> entries, std::uint8_t* blacklisted)
      : start_(start),
        bytes_(entries.size() * kBlockBytes),
        entries_(entries.data()),
        blacklist_(blacklisted) {}

  /// Makes the map cover `blocks` blocks, more than before. The further entries are there, and zero.
  void extend(std::size_t blocks) {
    JACKDAW_CHECK(blocks * kBlockBytes > bytes());
    // Release: pairs with the acquire in bytes, so that the entries are there.
    std::atomic_ref(bytes_).store(blocks * kBlockBytes, std::memory_order_release);
  }

  /// Returns how the block that `address` lies in is divided; without objects for any address outside. O(1).
  [[nodiscard, gnu::always_inline]] BlockShape shape_at(std::uintptr_t address) const {
    const std::uintptr_t offset = address - start_;
    if (offset >= bytes()) return {};
    // Acquire: pairs with the release in set, so that the tables of the chunk are initialised.
    return BlockShape::from_bits(
        std::atomic_ref(entries_[offset / kBlockBytes]).load(std::memory_order_acquire));
  }
  /// Returns where the object starts that `address` points into, first byte to last, if there is one: whether
  /// that slot is in use is not known here, nor whether it is one or what is left behind the last. 0 when
  /// there is none. For a large object the last block counts as a whole, and in a span the slot. O(1).
  [[nodiscard]] std::uintptr_t start_of_object_at(std::uintptr_t address) const {
    const BlockShape shape = shape_at(address);
    return shape.holds_objects() ? start_of_object_in(shape, address) : 0;
  }
  /// Returns where the object starts that an address in a block of that shape, which holds objects, points
  /// into.
  [[nodiscard]] static std::uintptr_t start_of_object_in(BlockShape shape, std::uintptr_t address) {
    JACKDAW_CHECK(shape.holds_objects());
    if (shape.holds_slots()) [[likely]]
      return start_of_slot_in(shape, address);
    const std::uintptr_t block = address & ~(kBlockBytes - 1);
    return block + static_cast<std::uintptr_t>(shape.large_offset(address - block));
  }
  /// Returns where the slot starts that an address in a block of slots of that shape points into.
  [[nodiscard]] static std::uintptr_t start_of_slot_in(BlockShape shape, std::uintptr_t address) {
    const std::uintptr_t block = address & ~(kBlockBytes - 1);
    return block + shape.slot_offset(static_cast<std::uint32_t>((address - block) / kGranuleBytes));
  }

  /// The map's range.
  [[nodiscard]] std::uintptr_t begin() const { return start_; }
  [[nodiscard]] std::uintptr_t end() const { return start_ + bytes(); }
  /// No block from here on ever held objects.
  // Acquire: pairs with the release in set, so that no entry before it is missed.
  [[nodiscard]] std::uintptr_t used_end() const {
    return start_ + std::atomic_ref(const_cast<std::uintptr_t&>(used_bytes_)).load(std::memory_order_acquire);
  }
  /// The data that a look-up needs, to be held in registers while many words are looked up.
  class View {
   public:
    View() = default;  // of a map that covers nothing
    explicit View(const BlockMap& map)
        : start_(map.start_),
          bytes_(map.bytes()),
          table_(reinterpret_cast<std::uintptr_t>(map.entries_) - place_of(map.start_)),
          displacements_(map.displacements_),
          in_granule_(displacements_ == nullptr ? GranuleOffsets() : displacements_->in_granule()) {}
    /// The range that it covers.
    [[nodiscard]] std::uintptr_t begin() const { return start_; }
    [[nodiscard]] std::uintptr_t bytes() const { return bytes_; }
    [[nodiscard]] bool covers(std::uintptr_t address) const { return address - start_ < bytes_; }
    /// Returns BlockMap::displacements().
    [[nodiscard]] const Displacements* displacements() const { return displacements_; }
    /// Where there are displacements: where in its granule an address lies that keeps an object.
    [[nodiscard]] GranuleOffsets in_granule() const { return in_granule_; }
    /// Where there are displacements: true for an address that keeps an object, false for most others.
    [[nodiscard]] bool may_keep(std::uintptr_t address) const {
      // This is no &&: the words cannot be predicted, so no branch depends on them.
      return (static_cast<unsigned>(covers(address)) &
              static_cast<unsigned>(in_granule_.contains(address))) != 0;
    }
    /// Returns BlockMap::shape_at() for an address that the map covers.
    [[nodiscard]] BlockShape shape_at(std::uintptr_t address) const {
      JACKDAW_CHECK(covers(address));
      // Acquire: pairs with the release in set, as in BlockMap::shape_at.
      auto* const entry =
          reinterpret_cast<std::uint64_t*>(table_ + place_of(address));  // NOLINT(performance-no-int-to-ptr)
      return BlockShape::from_bits(std::atomic_ref(*entry).load(std::memory_order_acquire));
    }

   private:
    static std::uintptr_t place_of(std::uintptr_t address) {
      return address / kBlockBytes * sizeof(std::uint64_t);
    }

    std::uintptr_t start_ = 0;
    std::uintptr_t bytes_ = 0;
    std::uintptr_t table_ = 0;  // where the entry of address 0 would be, so a look-up subtracts nothing
    const Displacements* displacements_ = nullptr;
    GranuleOffsets in_granule_;
  };

  /// Whether `address` lies in it.
  [[nodiscard]] bool covers(std::uintptr_t address) const { return address - start_ < bytes(); }
  /// Notes that a word looks like an address in the block at `address`, which lies inside and holds no
  /// objects: an object that was allocated there would not be freed while the word is there. Any thread.
  // Relaxed, here and where it is read: advice.
  void blacklist(std::uintptr_t address) const {
    JACKDAW_CHECK(covers(address));
    std::atomic_ref(blacklist_[(address - start_) / kBlockBytes]).store(round_, std::memory_order_relaxed);
  }
  /// Whether the block at `address`, which lies inside, was blacklisted in this round or the one before.
  [[nodiscard]] bool is_blacklisted(std::uintptr_t address) const {
    JACKDAW_CHECK(covers(address));
    const std::uint8_t noted =
        std::atomic_ref(blacklist_[(address - start_) / kBlockBytes]).load(std::memory_order_relaxed);
    return noted != 0 && static_cast<std::uint8_t>(round_ - noted) < 2;
  }
  /// Begins a round of searches, during which no thread searches. (Rounds are numbered from 1 to 255, over
  /// and over: what is blacklisted wrongly because of that costs nothing but a better place.)
  void start_round() { round_ = static_cast<std::uint8_t>(round_ == 255 ? 1 : round_ + 1); }

  /// Returns the displacements in objects at which references from elsewhere than stacks keep them; null, the
  /// default: all. They change while no thread searches.
  [[nodiscard]] const Displacements* displacements() const { return displacements_; }
  void set_displacements(const Displacements* displacements) { displacements_ = displacements; }

  /// Writes the entry of the block at `address`, which lies inside. Threads may write entries of different
  /// blocks at the same time.
  void set(std::uintptr_t address, BlockShape shape) {
    JACKDAW_CHECK(covers(address));
    const std::uintptr_t block = (address - start_) / kBlockBytes;
    // The releases pair with the acquires in shape_at and used_end. The relaxed load only gives a number.
    std::atomic_ref(entries_[block]).store(shape.bits(), std::memory_order_release);
    const std::uintptr_t end = (block + 1) * kBlockBytes;
    const std::atomic_ref used(used_bytes_);
    std::uintptr_t before = used.load(std::memory_order_relaxed);
    while (end > before &&
           !used.compare_exchange_weak(before, end, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

 private:
  // Acquire: pairs with the release in extend.
  [[nodiscard]] std::uintptr_t bytes() const {
    return std::atomic_ref(const_cast<std::uintptr_t&>(bytes_)).load(std::memory_order_acquire);
  }

  std::uintptr_t start_ = 0;
  // Neither is atomic: a map may be copied while no thread extends it or sets entries.
  std::uintptr_t bytes_ = 0;
  std::uintptr_t used_bytes_ = 0;
  // No atomics: they lie in memory as the system maps it, where nothing constructs any.
  std::uint64_t* entries_ = nullptr;
  std::uint8_t* blacklist_ = nullptr;
  const Displacements* displacements_ = nullptr;
  std::uint8_t round_ = 1;
};

}  // namespace jackdaw::heap
