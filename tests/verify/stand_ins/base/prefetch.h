// Stands in for base/prefetch.h: memory is not asked for ahead, and a line is so short that the few tasks of
// a client's block are several pieces (see BwosLifo::extend).
#pragma once

#include <cstddef>

namespace jackdaw::base {

inline constexpr std::size_t kCacheLineBytes = 2;

inline void prefetch_to_read(const void*) {}
inline void prefetch_to_write(const void*) {}
template <typename Element>
void prefetch_to_write(const Element*, std::size_t) {}

}  // namespace jackdaw::base
