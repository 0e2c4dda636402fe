// Test sizes for builds in which every access costs ten times as much: under a sanitizer or an emulator.
#pragma once

#include <cstddef>

#include "base/sanitizers.h"

namespace jackdaw::mark {

inline constexpr bool kSanitized = base::kAddressSanitizer || base::kThreadSanitizer;

#if defined(JACKDAW_EMULATED)
inline constexpr bool kEmulated = true;
#else
inline constexpr bool kEmulated = false;
#endif

/// `count`, or a tenth of it under a sanitizer or an emulator of another processor.
constexpr std::size_t scaled(std::size_t count) { return kSanitized || kEmulated ? count / 10 : count; }

}  // namespace jackdaw::mark
