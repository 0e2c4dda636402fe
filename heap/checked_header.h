// CheckedHeader: the header of objects that were allocated with checks (gc/c/checked_objects.h). It says
// where in the program that was, also to heap dumps.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jackdaw::heap {

/// The place in the program that allocated an object.
struct SourcePlace {
  const char* file = nullptr;  ///< null: unknown. Must live as long as the object.
  int line = 0;
};

/// The header before the program's bytes.
struct alignas(16) CheckedHeader {
  /// The front guard of an object that is set up and intact. If it was overwritten, the header before it
  /// cannot be trusted. Read as an address, it lies outside all addresses that programs have.
  static constexpr std::uint64_t kFrontGuard = 0xfadedcafe5eedbed;

  SourcePlace place;
  std::size_t bytes = 0;          ///< the bytes that the program asked for
  std::uint64_t front_guard = 0;  ///< 0: the object is not set up yet, or is freed

  [[nodiscard]] std::byte* start() { return reinterpret_cast<std::byte*>(this + 1); }
};

}  // namespace jackdaw::heap
