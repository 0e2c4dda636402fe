// Poison: a pattern in memory that holds no object, which shows writes to an object after its end
// (JACKDAW_POISON).
//
// When it is on, each word of a free slot, and of a free block that was written to, holds the pattern of
// its block. A sweep fills what it frees, and looks at what was free before; an explicit free fills the
// object; and what is handed out is looked at first. Explicitly freed slots are then in no list, but wait for
// the next sweep or for the end of their block.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heap/chunk.h"
#include "heap/kind.h"
#include "heap/object.h"

namespace jackdaw::heap {

/// Any thread, but for turn_on. Asks for no memory.
class Poison {
 public:
  /// Above all addresses, and without references as any Contents; not so as the program's own layouts, whose
  /// free slots hold zero.
  static constexpr std::uint64_t kPattern = 0xdead'f4ee'dead'f4e0;

  /// A word that was written though no object is there.
  struct Write {
    const std::uint64_t* word;
    const Object* object;  ///< that it was part of; null: not known any more
    std::size_t bytes;     ///< of the object
  };
  /// Before anything is allocated. `written` is called with a word that was written, and does not return.
  void turn_on(void (*written)(const Write& write)) {
    is_on_ = true;
    written_ = written;
  }
  /// From now on `dies` is called with each object whose memory is about to be filled.
  // Relaxed, here and where it is read: it is a function, which is there.
  void watch_deaths(void (*dies)(const Object* object)) { dies_.store(dies, std::memory_order_relaxed); }
  [[nodiscard]] bool is_on() const { return is_on_; }

  /// A block was taken: `was_zero`, or poisoned when it became free. Whether it is zero now.
  bool take_block(Chunk& chunk, std::size_t block, bool was_zero) const;
  /// A block is about to become free.
  void release_block(Chunk& chunk, std::size_t block) const;
  /// The sweep comes to a block of slots, but for those from `first` to `end`, which are at hand.
  void sweep_block(Chunk& chunk, std::size_t block, const std::byte* first = nullptr,
                   const std::byte* end = nullptr) const;
  /// An object is freed explicitly.
  void free(Object* object) const;
  /// Slots of a block are handed out.
  void hand_out(Chunk& chunk, std::size_t block, const std::byte* first, const std::byte* end) const;
  /// Slots of a block that were at hand are given up.
  void give_up(std::byte* first, std::byte* end) const;

 private:
  static std::uint64_t pattern_of(const Chunk& chunk, std::size_t block) {
    return chunk.kind_table()[chunk.kind(block)].contents == Contents::by_kind ? 0 : kPattern;
  }
  void tell_of_death(const Object* object) const;
  void fill_dead(Object* object, std::size_t bytes, std::uint64_t pattern) const;
  void check(const std::byte* first, std::size_t bytes, std::uint64_t pattern, const Object* object) const;

  bool is_on_ = false;
  void (*written_)(const Write& write) = nullptr;
  std::atomic<void (*)(const Object*)> dies_{nullptr};
};

}  // namespace jackdaw::heap
