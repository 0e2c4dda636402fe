#include "gc/c/long_bitmap.h"

#include <cstring>
#include <limits>

#include "gc/c/own_locks.h"
#include "gc/c/permanent_memory.h"
#include "gc/marking/layout_word.h"
#include "gc/marking/visitor.h"
#include "heap/layout.h"
#include "heap/word.h"

namespace jackdaw::c_interface {

namespace {

constinit PermanentMemory long_bitmaps(own_locks.long_bitmaps);

// A layout's bitmap, to which the descriptor's environment leads.
struct LongBitmap {
  std::size_t words;  // words of bits, which follow

  [[nodiscard]] GC_word* bits() { return reinterpret_cast<GC_word*>(this + 1); }
};

GC_ms_entry* mark_by_long_bitmap(GC_word* object, GC_ms_entry* top, GC_ms_entry*, GC_word environment) {
  auto& visitor = *reinterpret_cast<gc::Visitor*>(top);
  auto& bitmap = *reinterpret_cast<LongBitmap*>(environment);
  const heap::Word* const words = heap::words_at(object);
  for (std::size_t word = 0; word < bitmap.words; ++word) {
    for (GC_word bits = bitmap.bits()[word]; bits != 0; bits &= bits - 1)
      visitor.word(words[word * GC_WORDSZ + static_cast<std::size_t>(__builtin_ctzl(bits))].bits);
  }
  return top;
}

}  // namespace

GC_descr make_long_bitmap(const GC_word* bitmap, std::size_t bits) {
  const std::size_t words = (bits + GC_WORDSZ - 1) / GC_WORDSZ;
  void* const memory = long_bitmaps.allocate(sizeof(LongBitmap) + words * sizeof(GC_word));
  if (memory == nullptr) return bits * heap::kWordBytes;
  auto* const made = static_cast<LongBitmap*>(memory);
  made->words = words;
  std::memcpy(made->bits(), bitmap, words * sizeof(GC_word));
  // Bits of the last word beyond the bitmap are cleared.
  if (bits % GC_WORDSZ != 0) made->bits()[words - 1] &= ~GC_word{0} >> (GC_WORDSZ - bits % GC_WORDSZ);
  gc::MarkProcedures::define(gc::MarkProcedures::kLongBitmap, mark_by_long_bitmap);
  return GC_MAKE_PROC(gc::MarkProcedures::kLongBitmap, reinterpret_cast<GC_word>(memory));
}

}  // namespace jackdaw::c_interface
