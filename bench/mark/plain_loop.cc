#include "bench/mark/plain_loop.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/always_inline.h"
#include "base/prefetch.h"
#include "bench/heap/references.h"
#include "heap/chunk.h"
#include "heap/object.h"
#include "heap/word.h"
#include "tools/command/input_error.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define JACKDAW_PLAIN_LOOP gnu::target("avx2,bmi,bmi2,popcnt")
#else
#define JACKDAW_PLAIN_LOOP gnu::hot
#endif

namespace jackdaw::bench {

namespace {

// An object's address and, above it, the number of words of its slot, or 0 for a large object.
using Entry = std::uint64_t;
constexpr unsigned kAddressBits = 48;

constexpr std::size_t kRing = 64;

template <PlainLoop::Objects kObjects>
struct Loop {
  static constexpr bool kIsTyped = kObjects == PlainLoop::Objects::typed;

  heap::BlockMap::View view;
  std::uint64_t* marks;
  Entry* stack;
  Entry* top;
  std::uint64_t objects_marked = 0;

  [[JACKDAW_PLAIN_LOOP]] void run(std::span<const std::uintptr_t> roots) {
    for (const std::uintptr_t root : roots) find(root);
    std::array<Entry, kRing> ring;
    std::size_t put = 0;
    for (std::size_t taken = 0;; ++taken) {
      while (put - taken < kRing && top != stack) {
        ring[put++ % kRing] = *--top;
        base::prefetch_to_read(object_of(*top));
        base::prefetch_to_read(reinterpret_cast<const char*>(object_of(*top)) + base::kCacheLineBytes / 2);
      }
      if (put == taken) return;
      visit(ring[taken % kRing]);
    }
  }

  [[JACKDAW_PLAIN_LOOP, gnu::always_inline]] inline void visit(Entry entry) {
    heap::Object* const object = object_of(entry);
    if constexpr (kIsTyped) {
      for_each_reference(object, [this](const heap::Object* reference) {
        find(reinterpret_cast<std::uintptr_t>(reference));
      });
    } else {
      std::uint64_t left = entry >> kAddressBits;
      if (left == 0) left = heap::Chunk::large_bytes_of(object) / heap::kWordBytes;
      const heap::Word* word = heap::words_at(object);
      for (; left >= 4; word += 4, left -= 4) {
        for (std::uint32_t inside = inside_of_four(word); inside != 0; inside &= inside - 1)
          find(word[__builtin_ctz(inside)].bits);
      }
      for (; left != 0; ++word, --left) {
        if (view.covers(word->bits)) find(word->bits);
      }
    }
  }

  // Returns a bit for each of four words, set if it lies in the heap's range.
  [[JACKDAW_PLAIN_LOOP, gnu::always_inline]] inline std::uint32_t inside_of_four(
      const heap::Word* word) const {
#if defined(__x86_64__)
    const __m256i high = _mm256_set1_epi64x(std::numeric_limits<long long>::min());
    const __m256i start = _mm256_xor_si256(_mm256_set1_epi64x(static_cast<long long>(view.begin())), high);
    const __m256i bytes = _mm256_xor_si256(_mm256_set1_epi64x(static_cast<long long>(view.bytes())), high);
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(word));
    const __m256i inside = _mm256_cmpgt_epi64(bytes, _mm256_sub_epi64(words, start));
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(inside)));
#else
    std::uint32_t inside = 0;
    for (unsigned i = 0; i < 4; ++i) inside |= static_cast<std::uint32_t>(view.covers(word[i].bits)) << i;
    return inside;
#endif
  }

  JACKDAW_ALWAYS_INLINE void find(std::uintptr_t address) {
    const heap::BlockShape shape = view.shape_at(address);
    if (!kIsTyped) {
      if (!shape.holds_objects()) return;
      address = heap::BlockMap::start_of_object_in(shape, address);
    }
    const std::uintptr_t granule = (address - view.begin()) / heap::kGranuleBytes;
    std::uint64_t& word = marks[granule / 64];
    if ((word >> granule % 64 & 1) != 0) return;
    word |= std::uint64_t{1} << granule % 64;
    ++objects_marked;
    if (!shape.may_hold_references()) return;
    *top++ = address | std::uint64_t{shape.words()} << kAddressBits;
  }

  static heap::Object* object_of(Entry entry) {
    return reinterpret_cast<heap::Object*>(entry << (64 - kAddressBits) >> (64 - kAddressBits));
  }
};

std::uint64_t used_granules(const heap::BlockMap& map) {
  return std::max<std::uint64_t>(1, (map.used_end() - map.begin()) / heap::kGranuleBytes);
}

template <PlainLoop::Objects kObjects>
std::uint64_t mark(const heap::BlockMap& map, std::uint64_t* marks, Entry* stack,
                   std::span<const std::uintptr_t> roots) {
  Loop<kObjects> loop{heap::BlockMap::View(map), marks, stack, stack};
  loop.run(roots);
  return loop.objects_marked;
}

void require_instructions() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2"))
    throw tools::InputError("--limit: the plain loop needs a processor with AVX2; leave it out");
#endif
}

}  // namespace

PlainLoop::PlainLoop(const heap::BlockMap& map, Objects objects, std::vector<std::uintptr_t> roots)
    : map_(map),
      objects_(objects),
      roots_(std::move(roots)),
      marks_(used_granules(map) / 8 + 8, PageKind::huge),
      stack_(base::PageArray<Entry>::reserve_or_throw(used_granules(map))) {
  require_instructions();
}

std::chrono::duration<double, std::milli> PlainLoop::run() {
  const auto start = std::chrono::steady_clock::now();
  std::ranges::fill(marks_.words(), 0);
  const auto run = objects_ == Objects::typed ? mark<Objects::typed> : mark<Objects::conservative>;
  objects_marked_ = run(map_, marks_.words().data(), stack_.data(), roots_);
  return std::chrono::steady_clock::now() - start;
}

}  // namespace jackdaw::bench
