// Word scan: finds what a range of memory may refer to when nothing says where its references are.
//
// Each aligned word is taken for an address. An address anywhere in an allocated object counts as a reference
// to it, unless the heap's Displacements allow only some interior pointers; they hold for all words but those
// of stacks. Source: Boehm and Weiser, "Garbage Collection in an Uncooperative Environment", SP&E 1988.
#pragma once

#include <cstdint>
#include <span>

#include "heap/block_map.h"
#include "heap/chunk.h"
#include "heap/object.h"
#include "heap/word.h"

namespace jackdaw::heap {

/// Returns the aligned words that lie wholly between two addresses; none when the second is lower.
inline Words whole_words_between(std::uintptr_t begin, std::uintptr_t end) {
  const std::uintptr_t first = (begin + kWordBytes - 1) & ~(kWordBytes - 1);
  if (end < first + kWordBytes) return {};
  const auto* const words = reinterpret_cast<const Word*>(first);  // NOLINT(performance-no-int-to-ptr)
  return {words, (end - first) / kWordBytes};
}

/// A granule of a block of slots that a word points into, with the block's shape. It stands for the object
/// that starts or may start in the granule, and for nothing where none does: such a granule is marked.
struct FoundStart {
  Object* granule;
  BlockShape shape;

  operator Object*() const { return granule; }  // NOLINT(google-explicit-constructor): a reference to it
};

/// A granule that a word points into, which keeps the slot that the granule lies in.
struct FoundPlace : FoundStart {
  /// Returns the slot's start. O(1).
  [[nodiscard]] Object* slot() const {
    const auto address = reinterpret_cast<std::uintptr_t>(granule);
    return reinterpret_cast<Object*>(  // NOLINT(performance-no-int-to-ptr)
        BlockMap::start_of_slot_in(shape, address));
  }
  operator Object*() const { return slot(); }  // NOLINT(google-explicit-constructor): a reference to it
};

/// Returns the granule that a word points into.
[[gnu::always_inline]] inline Object* granule_of_word(std::uintptr_t word) {
  return reinterpret_cast<Object*>(word & ~(kGranuleBytes - 1));  // NOLINT(performance-no-int-to-ptr)
}

/// Does what slot_at_any_word() does for a word that points into a block without slots.
[[gnu::noinline]] inline Object* large_at_word(const BlockMap& map, BlockShape shape, std::uintptr_t word) {
  if (!shape.holds_objects()) {
    map.blacklist(word);
    return nullptr;
  }
  if (shape.keeps_nothing()) return nullptr;
  return reinterpret_cast<Object*>(  // NOLINT(performance-no-int-to-ptr)
      BlockMap::start_of_object_in(shape, word));
}

/// Returns the start of the object or free slot that `word` points into, in any part of `map`; null when
/// there is none, or when the address keeps nothing (LargeAddresses). A block without objects is blacklisted.
/// O(1), and reads only the map: unallocated slots are marked (Heap::clear_marks), so markers need no
/// allocation bits.
[[gnu::always_inline]] inline Object* slot_at_any_word(const BlockMap& map, std::uintptr_t word) {
  if (!map.covers(word)) [[likely]]
    return nullptr;
  const BlockShape shape = map.shape_at(word);
  if (!shape.holds_slots()) [[unlikely]]
    return large_at_word(map, shape, word);
  return reinterpret_cast<Object*>(  // NOLINT(performance-no-int-to-ptr)
      BlockMap::start_of_object_in(shape, word));
}

/// Reports the place of a word that the map covers: calls `sink.reference(FoundPlace)`, or, for a large
/// object, `sink.reference(Object*)`, or adds one to `vain` where there is no object. `view` is of `map`.
template <typename Sink>
[[gnu::always_inline]] inline void report_place_at(std::uintptr_t word, const BlockMap::View& view,
                                                   const BlockMap& map, Sink& sink, std::size_t& vain) {
  const BlockShape shape = view.shape_at(word);
  if (shape.holds_slots()) [[likely]] {
    sink.reference(FoundPlace{{granule_of_word(word), shape}});
  } else if (Object* const object = large_at_word(map, shape, word)) {
    sink.reference(object);
  } else {
    ++vain;
  }
}

/// Returns what slot_at_any_word() does if the word's displacement is allowed, else null.
[[gnu::noinline]] inline Object* slot_at_displaced_word(const BlockMap& map, std::uintptr_t word) {
  Object* const object = slot_at_any_word(map, word);
  const std::uintptr_t offset = word - reinterpret_cast<std::uintptr_t>(object);
  return object != nullptr && map.displacements()->contains(offset) ? object : nullptr;
}

/// Reports the place of a word for which view.may_keep() is true, where only displacements count. Where all
/// displacements are near, such a word refers to what starts in its granule, if anything does.
template <typename Sink>
[[gnu::always_inline]] inline void report_start_at(std::uintptr_t word, const BlockMap::View& view,
                                                   const BlockMap& map, Sink& sink, std::size_t& vain) {
  const BlockShape shape = view.shape_at(word);
  if (shape.holds_slots() && view.displacements()->are_near()) [[likely]] {
    sink.reference(FoundStart{granule_of_word(word), shape});
  } else if (Object* const object = slot_at_displaced_word(map, word)) {
    sink.reference(object);
  } else {
    ++vain;
  }
}

/// Calls `sink.reference` for each word that refers to something. All words must satisfy view.may_keep(), or
/// view.covers() where there are no displacements. Returns how many refer to something.
template <typename Sink>
[[gnu::always_inline]] inline std::size_t report_references(std::span<const std::uintptr_t> words,
                                                            BlockMap::View view, const BlockMap& map,
                                                            Sink& sink) {
  std::size_t vain = 0;
  if (view.displacements() == nullptr) {
    for (const std::uintptr_t word : words) report_place_at(word, view, map, sink, vain);
  } else {
    for (const std::uintptr_t word : words) report_start_at(word, view, map, sink, vain);
  }
  return words.size() - vain;
}

/// Reports the references among all words of a small object, as report_references() does. It takes one branch
/// for each word, which costs little where the processor waits for the next object anyway.
template <typename Sink>
[[gnu::always_inline]] inline void report_references_in(Words words, const BlockMap::View& view,
                                                        const BlockMap& map, Sink& sink) {
  std::size_t vain = 0;
  if (view.displacements() == nullptr) {
    for (const Word& word : words) {
      const std::uintptr_t bits = word.read_once();
      if (view.covers(bits)) report_place_at(bits, view, map, sink, vain);
    }
  } else {
    for (const Word& word : words) {
      const std::uintptr_t bits = word.read_once();
      if (view.may_keep(bits)) report_start_at(bits, view, map, sink, vain);
    }
  }
}

/// Returns the slot that a word of an object or of static data refers to, by the displacements.
inline Object* slot_at_word(const BlockMap& map, std::uintptr_t word) {
  if (map.displacements() == nullptr) [[likely]]
    return slot_at_any_word(map, word);
  return slot_at_displaced_word(map, word);
}

/// Calls `function(Object*)` for each word of a stack that points into an object or a free slot. Sanitizers
/// would report reads between variables, so they are off here.
template <typename Function>
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void for_each_slot_in_stack(Words words,
                                                                                  const BlockMap& map,
                                                                                  Function function) {
  const BlockMap local = map;  // so that it stays in registers
  for (const Word& word : words) {
    if (Object* const object = slot_at_any_word(local, word.read_once())) function(object);
  }
}

/// Calls `function(Object*)` for the slots that words refer to where only displacements count.
template <typename Function>
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void for_each_displaced_slot_in(Words words,
                                                                                      const BlockMap& map,
                                                                                      Function function) {
  const BlockMap::View view(map);
  for (const Word& word : words) {
    const std::uintptr_t bits = word.read_once();
    if (!view.may_keep(bits)) continue;
    if (Object* const object = slot_at_displaced_word(map, bits)) function(object);
  }
}

/// Calls `function(Object*)` for the slots that words of an object or of static data refer to, as
/// slot_at_word() finds them.
template <typename Function>
void for_each_slot_in(Words words, const BlockMap& map, Function function) {
  if (map.displacements() == nullptr) [[likely]] {
    for_each_slot_in_stack(words, map, function);
  } else {
    for_each_displaced_slot_in(words, map, function);
  }
}

}  // namespace jackdaw::heap
