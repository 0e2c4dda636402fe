// Test sizes for builds in which every access costs ten times as much: under a sanitizer or an emulator.
#pragma once

#include <cstddef>

namespace jackdaw::mark {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

#if defined(JACKDAW_EMULATED)
inline constexpr bool kEmulated = true;
#else
inline constexpr bool kEmulated = false;
#endif

/// `count`, or a tenth of it under a sanitizer or an emulator of another processor.
constexpr std::size_t scaled(std::size_t count) { return kSanitized || kEmulated ? count / 10 : count; }

}  // namespace jackdaw::mark
