// Poison: a pattern in memory that holds no object, which shows writes to an object after its end
// (JACKDAW_POISON).
//
// When it is on, each word of a free slot, and of a free block that was written to, holds the pattern of its
// block. A sweep fills the slots that it frees, and checks those that were free before; an explicit free
// fills the object; and slots are checked before they are handed out. Explicitly freed slots are then in no
// list, but wait for the next sweep or for the end of their block.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heap/chunk.h"
#include "heap/kind.h"
#include "heap/object.h"

namespace jackdaw::heap {

/// Any thread, except for turn_on(). Takes no memory.
class Poison {
 public:
  /// The pattern lies above all addresses, and no Contents finds a reference in it, except for the program's
  /// own layouts, whose free slots hold zero.
  static constexpr std::uint64_t kPattern = 0xdead'f4ee'dead'f4e0;

  /// A write to a word where no object is.
  struct Write {
    const std::uint64_t* word;
    const Object* object;  ///< the dead object that it was part of; null: not known any more
    std::size_t bytes;     ///< the object's bytes
  };
  /// To be called before anything is allocated. `written` is called for a write that was found, and does not
  /// return.
  void turn_on(void (*written)(const Write& write)) {
    is_on_ = true;
    written_ = written;
  }
  /// Has `dies` called with each object whose memory is about to be filled.
  // Relaxed, here and where it is read: the function itself needs no publishing.
  void watch_deaths(void (*dies)(const Object* object)) { dies_.store(dies, std::memory_order_relaxed); }
  [[nodiscard]] bool is_on() const { return is_on_; }

  /// Checks a block that was taken, unless it `was_zero`, and fills a small one with its kind's pattern.
  /// Returns whether the block is zero now.
  bool take_block(Chunk& chunk, std::size_t block, bool was_zero) const;
  /// Fills a block that is about to become free.
  void release_block(Chunk& chunk, std::size_t block) const;
  /// Fills the dead slots of a block that is swept, and checks the free ones, except for those from `first`
  /// to `end`, which an allocator holds.
  void sweep_block(Chunk& chunk, std::size_t block, const std::byte* first = nullptr,
                   const std::byte* end = nullptr) const;
  /// Fills an object that is freed explicitly.
  void free(Object* object) const;
  /// Checks slots of a block that are handed out.
  void hand_out(Chunk& chunk, std::size_t block, const std::byte* first, const std::byte* end) const;
  /// Fills slots of a block that an allocator gives up.
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
