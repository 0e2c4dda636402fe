#include "gc/marking/candidate_picker.h"

#include <algorithm>
#include <array>
#include <iterator>

#if defined(__x86_64__)
// GCC 12 warns of variables that its own header leaves uninitialised on purpose (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace jackdaw::gc {

namespace {

using Candidate = CandidatePicker::Candidate;

// The test of one word at a time.
struct WordTest {
  heap::BlockMap::View view;

  // Appends those of some words that pass. This is inlined in sanitized builds, too, so that it is covered by
  // its callers' no_sanitize attributes.
  template <bool kDisplaced>
  [[gnu::always_inline]] inline Candidate* append_all(heap::Words words, Candidate* out) const {
    for (const heap::Word& word : words) {
      const std::uintptr_t bits = word.read_once();
      *out = bits;
      const bool passes = kDisplaced ? view.may_keep(bits) : view.covers(bits);
      out += passes ? 1 : 0;
    }
    return out;
  }
};

}  // namespace

// Picks from one object after another by a Test.
template <typename Test>
struct CandidatePicker::ByObject {
  template <bool kDisplaced>
  [[gnu::no_sanitize_address, gnu::no_sanitize_thread]] static std::size_t pick(const CandidatePicker& picker,
                                                                                heap::Words words,
                                                                                Candidate* out) {
    const Test test{picker.view_};
    return static_cast<std::size_t>(test.template append_all<kDisplaced>(words, out) - out);
  }

  template <bool kDisplaced>
  [[gnu::no_sanitize_thread]] static Picked pick_from(const CandidatePicker& picker,
                                                      std::span<const MarkTask> tasks, std::size_t enough,
                                                      Candidate* out) {
    const Test test{picker.view_};
    Candidate* end = out;
    std::size_t taken = 0;
    for (; taken < tasks.size() && static_cast<std::size_t>(end - out) < enough; ++taken) {
      const MarkTask task = tasks[taken];
      if (!task.is_small_words()) break;
      end = test.template append_all<kDisplaced>(task.small_object(), end);
    }
    return {taken, static_cast<std::size_t>(end - out)};
  }
};

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kPartsOfAWord = 2;
#else
constexpr std::uint32_t kPartsOfAWord = 8;
#endif

// A table indexed by the set of four words that pass: the permutation that moves those to the front, by parts
// of words, and the bytes that they take.
struct Permutations {
  alignas(64) std::array<std::array<std::uint8_t, 4 * kPartsOfAWord>, 16> parts{};
  alignas(64) std::array<std::size_t, 16> bytes{};
};
consteval Permutations make_permutations() {
  Permutations permutations;
  for (std::uint32_t passing = 0; passing < 16; ++passing) {
    std::uint32_t next = 0;
    for (std::uint32_t part = 0; part < 4 * kPartsOfAWord; ++part) {
      if ((passing >> part / kPartsOfAWord & 1) == 0) continue;
      permutations.parts[passing][next++] = static_cast<std::uint8_t>(part);
    }
    permutations.bytes[passing] = next / kPartsOfAWord * sizeof(Candidate);
  }
  return permutations;
}
constexpr Permutations kPermutations = make_permutations();

// Returns the end of the candidates after those of a set of four words. A table gives the length, since a
// population count would take three instructions.
[[gnu::always_inline]] inline Candidate* after(Candidate* out, std::uint32_t passing) {
  return reinterpret_cast<Candidate*>(reinterpret_cast<std::byte*>(out) + kPermutations.bytes[passing]);
}

}  // namespace

#endif

#if defined(__x86_64__)

// Keeps the words that were read in a register: if they were read again to be picked, the program could have
// changed them since the test.
#define JACKDAW_READ_ONCE(words) asm("" : "+v"(words))

#define JACKDAW_AVX2 gnu::target("avx2,bmi,bmi2,popcnt")

namespace {

// The test of four words at once, in registers.
struct Avx2Test {
  // Both have the highest bit inverted, as the comparison is signed.
  __m256i start;
  __m256i bytes;
  __m256i in_granule;

  [[JACKDAW_AVX2, gnu::always_inline]] explicit Avx2Test(const heap::BlockMap::View& view)
      : start(_mm256_xor_si256(all(view.begin()), sign_bits())),
        bytes(_mm256_xor_si256(all(view.bytes()), sign_bits())),
        in_granule(all(view.in_granule().bits())) {}

  [[JACKDAW_AVX2, gnu::always_inline]] static inline __m256i all(std::uint64_t value) {
    return _mm256_set1_epi64x(static_cast<long long>(value));
  }
  [[JACKDAW_AVX2, gnu::always_inline]] static inline __m256i sign_bits() {
    return all(std::uint64_t{1} << 63);
  }

  // Returns a bit for each of the words, set if it passes.
  template <bool kDisplaced>
  [[JACKDAW_AVX2, gnu::always_inline]] inline std::uint32_t passing(__m256i words) const {
    __m256i covered = _mm256_cmpgt_epi64(bytes, _mm256_sub_epi64(words, start));
    if constexpr (kDisplaced) {
      const __m256i places = _mm256_and_si256(words, all(63));
      const __m256i kept = _mm256_slli_epi64(_mm256_srlv_epi64(in_granule, places), 63);
      covered = _mm256_and_si256(covered, kept);
    }
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(covered)));
  }

  // Appends those of the first kRead of four words that pass.
  template <bool kDisplaced, unsigned kRead>
  [[JACKDAW_AVX2, gnu::always_inline]] inline Candidate* append(__m256i words, Candidate* out) const {
    std::uint32_t mask = passing<kDisplaced>(words);
    if constexpr (kRead < 4) mask &= (1U << kRead) - 1;
    const __m256i order = _mm256_cvtepu8_epi32(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kPermutations.parts[mask].data())));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(words, order));
    return after(out, mask);
  }

  // Appends those of some words that pass.
  template <bool kDisplaced>
  [[JACKDAW_AVX2, gnu::always_inline]] inline Candidate* append_all(heap::Words words, Candidate* out) const {
    const heap::Word* word = words.data();
    std::size_t left = words.size();
    for (; left >= 4; word += 4, left -= 4) out = append<kDisplaced, 4>(four_at(word), out);
    for (; left != 0; ++word, --left) out = append<kDisplaced, 1>(all(word->read_once()), out);
    return out;
  }

  // Appends those words of a slot that pass. A slot has an even number of words.
  template <bool kDisplaced>
  [[JACKDAW_AVX2, gnu::always_inline]] inline Candidate* append_slot(const heap::Word* word,
                                                                     std::size_t count,
                                                                     Candidate* out) const {
    for (const heap::Word* const end = word + count / 4 * 4; word != end; word += 4)
      out = append<kDisplaced, 4>(four_at(word), out);
    if (count % 4 == 0) return out;
    return append_two<kDisplaced>(word, out);
  }

  // Two words are read rather than four with a mask, as the words behind may lie on a cache line that was not
  // prefetched.
  template <bool kDisplaced>
  [[JACKDAW_AVX2, gnu::always_inline]] inline Candidate* append_two(const heap::Word* word,
                                                                    Candidate* out) const {
    __m128i two = _mm_loadu_si128(reinterpret_cast<const __m128i*>(word));
    JACKDAW_READ_ONCE(two);
    return append<kDisplaced, 2>(_mm256_castsi128_si256(two), out);
  }

  [[JACKDAW_AVX2, gnu::always_inline]] static inline __m256i four_at(const heap::Word* word) {
    __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(word));
    JACKDAW_READ_ONCE(words);
    return words;
  }
};

}  // namespace

struct CandidatePicker::Avx2 {
  template <bool kDisplaced>
  [[JACKDAW_AVX2, gnu::no_sanitize_address, gnu::no_sanitize_thread]] static std::size_t pick(
      const CandidatePicker& picker, heap::Words words, Candidate* out) {
    const Avx2Test test(picker.view_);
    return static_cast<std::size_t>(test.append_all<kDisplaced>(words, out) - out);
  }

  // ThreadSanitizer is off here: it would report the program's concurrent writes, which dirty pages reveal.
  template <bool kDisplaced>
  [[JACKDAW_AVX2, gnu::no_sanitize_thread]] static Picked pick_from(const CandidatePicker& picker,
                                                                    std::span<const MarkTask> tasks,
                                                                    std::size_t enough, Candidate* out) {
    const Avx2Test test(picker.view_);
    Candidate* end = out;
    const Candidate* const last = out + enough;
    const MarkTask* task = tasks.data();
    const MarkTask* const tasks_end = task + tasks.size();
    while (task != tasks_end) {
      if (task->is_small_on_one_line()) {
        // An object on one line has two, four or eight words.
        for (; task != tasks_end && task->is_line_of(4); ++task)
          end = test.append<kDisplaced, 4>(Avx2Test::four_at(task->small_object().data()), end);
        for (; task != tasks_end && task->is_line_of(8); ++task) {
          const heap::Word* const word = task->small_object().data();
          end = test.append<kDisplaced, 4>(Avx2Test::four_at(word), end);
          end = test.append<kDisplaced, 4>(Avx2Test::four_at(word + 4), end);
        }
        for (; task != tasks_end && task->is_line_of(2); ++task)
          end = test.append_two<kDisplaced>(task->small_object().data(), end);
        continue;
      }
      if (!task->is_small_words() || end >= last) break;
      end = test.append_slot<kDisplaced>(task->small_object().data(), task->small_words(), end);
      ++task;
      if (end >= last) break;
    }
    return {static_cast<std::size_t>(task - tasks.data()), static_cast<std::size_t>(end - out)};
  }
};

#define JACKDAW_AVX512 gnu::target("avx2,avx512f,avx512dq,bmi,bmi2,popcnt")

namespace {

// The test of eight words at once.
template <bool kDisplaced>
struct Avx512Test {
  __m512i start;
  __m512i bytes;
  __m512i in_granule;

  [[JACKDAW_AVX512, gnu::always_inline]] explicit Avx512Test(const heap::BlockMap::View& view)
      : start(all(view.begin())), bytes(all(view.bytes())), in_granule(all(view.in_granule().bits())) {}

  [[JACKDAW_AVX512, gnu::always_inline]] static inline __m512i all(std::uint64_t value) {
    return _mm512_set1_epi64(static_cast<long long>(value));
  }

  // Appends those of eight words that pass.
  [[JACKDAW_AVX512, gnu::always_inline]] inline Candidate* append(const heap::Word* word,
                                                                  Candidate* out) const {
    __m512i words = _mm512_loadu_si512(word);
    JACKDAW_READ_ONCE(words);
    __mmask8 passing = _mm512_cmplt_epu64_mask(_mm512_sub_epi64(words, start), bytes);
    if constexpr (kDisplaced) {
      const __m512i places = _mm512_and_si512(words, all(63));
      passing = _mm512_mask_test_epi64_mask(passing, _mm512_srlv_epi64(in_granule, places), all(1));
    }
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(passing, words));
    return out + _mm_popcnt_u32(passing);
  }
};

}  // namespace

struct CandidatePicker::Avx512 {
  template <bool kDisplaced>
  [[JACKDAW_AVX512, gnu::no_sanitize_address, gnu::no_sanitize_thread]] static std::size_t pick(
      const CandidatePicker& picker, heap::Words words, Candidate* out) {
    const Avx512Test<kDisplaced> eight(picker.view_);
    const std::size_t in_eights = words.size() / 8 * 8;
    Candidate* end = out;
    for (std::size_t i = 0; i != in_eights; i += 8) end = eight.append(&words[i], end);
    const Avx2Test four(picker.view_);
    return static_cast<std::size_t>(four.append_all<kDisplaced>(words.subspan(in_eights), end) - out);
  }

  // This follows Avx2::pick_from.
  template <bool kDisplaced>
  [[JACKDAW_AVX512, gnu::no_sanitize_thread]] static Picked pick_from(const CandidatePicker& picker,
                                                                      std::span<const MarkTask> tasks,
                                                                      std::size_t enough, Candidate* out) {
    const Avx512Test<kDisplaced> eight(picker.view_);
    const Avx2Test four(picker.view_);
    Candidate* end = out;
    const Candidate* const last = out + enough;
    const MarkTask* task = tasks.data();
    const MarkTask* const tasks_end = task + tasks.size();
    while (task != tasks_end) {
      if (task->is_small_on_one_line()) {
        for (; task != tasks_end && task->is_line_of(4); ++task)
          end = four.append<kDisplaced, 4>(Avx2Test::four_at(task->small_object().data()), end);
        for (; task != tasks_end && task->is_line_of(8); ++task)
          end = eight.append(task->small_object().data(), end);
        for (; task != tasks_end && task->is_line_of(2); ++task)
          end = four.append_two<kDisplaced>(task->small_object().data(), end);
        continue;
      }
      if (!task->is_small_words() || end >= last) break;
      const heap::Word* word = task->small_object().data();
      std::size_t count = task->small_words();
      for (; count >= 8; word += 8, count -= 8) end = eight.append(word, end);
      if (count != 0) end = four.append_slot<kDisplaced>(word, count, end);
      ++task;
      if (end >= last) break;
    }
    return {static_cast<std::size_t>(task - tasks.data()), static_cast<std::size_t>(end - out)};
  }
};

#undef JACKDAW_READ_ONCE

#elif defined(__aarch64__)

namespace {

// The test of four words at once, in two registers.
struct NeonTest {
  WordTest word;
  uint64x2_t start = vdupq_n_u64(word.view.begin());
  uint64x2_t bytes = vdupq_n_u64(word.view.bytes());
  uint64x2_t in_granule = vdupq_n_u64(word.view.in_granule().bits());

  // Sets all bits of those of two words that pass.
  template <bool kDisplaced>
  [[gnu::always_inline]] inline uint32x4_t passing(uint64x2_t words) const {
    uint64x2_t covered = vcltq_u64(vsubq_u64(words, start), bytes);
    if constexpr (kDisplaced) {
      const int64x2_t places = vreinterpretq_s64_u64(vandq_u64(words, vdupq_n_u64(63)));
      // A shift by a negative number is one to the right.
      const uint64x2_t kept = vshlq_u64(in_granule, vnegq_s64(places));
      covered = vandq_u64(covered, vtstq_u64(kept, vdupq_n_u64(1)));
    }
    return vreinterpretq_u32_u64(covered);
  }

  // Appends those of four words that pass. A load of two words reads each of them at once.
  template <bool kDisplaced>
  [[gnu::always_inline]] inline Candidate* append(const heap::Word* word, Candidate* out) const {
    constexpr std::array<std::uint32_t, 4> kBits{1, 2, 4, 8};
    const uint64x2_t low = two_at(word);
    const uint64x2_t high = two_at(word + 2);
    const uint32x4_t all = vuzp1q_u32(passing<kDisplaced>(low), passing<kDisplaced>(high));
    const std::uint32_t mask = vaddvq_u32(vandq_u32(all, vld1q_u32(kBits.data())));
    const std::uint8_t* const order = kPermutations.parts[mask].data();
    const uint8x16x2_t words{vreinterpretq_u8_u64(low), vreinterpretq_u8_u64(high)};
    vst1q_u64(out, vreinterpretq_u64_u8(vqtbl2q_u8(words, vld1q_u8(order))));
    vst1q_u64(out + 2, vreinterpretq_u64_u8(vqtbl2q_u8(words, vld1q_u8(order + 16))));
    return after(out, mask);
  }

  // The words are kept in a register: if they were read again to be picked, the program could have changed
  // them since the test.
  [[gnu::always_inline]] static inline uint64x2_t two_at(const heap::Word* word) {
    uint64x2_t words = vld1q_u64(&word->bits);
    asm("" : "+w"(words));
    return words;
  }

  // Appends those of some words that pass.
  template <bool kDisplaced>
  [[gnu::always_inline]] inline Candidate* append_all(heap::Words words, Candidate* out) const {
    const std::size_t in_fours = words.size() / 4 * 4;
    for (std::size_t i = 0; i != in_fours; i += 4) out = append<kDisplaced>(&words[i], out);
    return word.append_all<kDisplaced>(words.subspan(in_fours), out);
  }
};

}  // namespace

#endif

bool CandidatePicker::has(Instructions instructions) {
  switch (instructions) {
    case Instructions::any:
      return true;
#if defined(__x86_64__)
    case Instructions::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    case Instructions::avx512:
      return has(Instructions::avx2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512dq");
#elif defined(__aarch64__)
    case Instructions::neon:
      return true;
#endif
    default:
      return false;
  }
}

std::vector<CandidatePicker::Instructions> CandidatePicker::available() {
  std::vector<Instructions> instructions;
  std::ranges::copy_if(kAll, std::back_inserter(instructions), has);
  return instructions;
}

CandidatePicker::Instructions CandidatePicker::fastest() {
  return *std::ranges::find_if(kAll.rbegin(), kAll.rend(), has);
}

template <typename By>
void CandidatePicker::pick_by(bool displaced) {
  pick_ = displaced ? By::template pick<true> : By::template pick<false>;
  pick_from_tasks_ = displaced ? By::template pick_from<true> : By::template pick_from<false>;
}

CandidatePicker::CandidatePicker(const heap::BlockMap& map, [[maybe_unused]] Instructions instructions)
    : view_(map) {
  const bool displaced = map.displacements() != nullptr;
  pick_by<ByObject<WordTest>>(displaced);
#if defined(__x86_64__)
  if (instructions == Instructions::avx2) pick_by<Avx2>(displaced);
  if (instructions == Instructions::avx512) pick_by<Avx512>(displaced);
#elif defined(__aarch64__)
  if (instructions == Instructions::neon) pick_by<ByObject<NeonTest>>(displaced);
#endif
}

}  // namespace jackdaw::gc
