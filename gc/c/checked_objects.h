// Checked objects: what gc.h, section 5, allocates. A header before the program's bytes says where they were
// allocated, and guards at both ends show when something wrote beyond them.
//
// They are of kinds of their own (KindVariant::checked), so that a collection knows them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/chunk.h"
#include "heap/kind.h"
#include "heap/object.h"

namespace jackdaw::c_interface {

/// Where in the program an object was allocated.
struct SourcePlace {
  const char* file = nullptr;  ///< null: unknown. Lives as long as the object.
  int line = 0;
};

/// The header before the program's bytes.
struct alignas(16) CheckedHeader {
  SourcePlace place;
  std::size_t bytes = 0;          ///< as the program asked for them
  std::uint64_t front_guard = 0;  ///< 0: the object was not set up yet, or freed

  [[nodiscard]] std::byte* start() { return reinterpret_cast<std::byte*>(this + 1); }
};

/// The program's bytes of a new object of the checked variant of `kind`, or what the out-of-memory function
/// returns.
void* allocate_checked(std::size_t bytes, heap::KindNumber kind, SourcePlace place,
                       heap::LargeAddresses addresses = heap::LargeAddresses::all);
/// Whether an object was allocated with checks. Its header is the object itself.
bool is_checked(const heap::Object* object);
/// The header of the object whose first byte is the program's at `address`, or null when that is none.
CheckedHeader* checked_header_of(void* address);
/// Writes to the log whether something wrote beyond the object.
void report_if_smashed(CheckedHeader& header);

/// Notes the first of the objects that something wrote beyond. While no other thread runs.
void note_smashed_objects();
/// Writes to the log what was noted. Under the lock.
void report_noted_objects();

}  // namespace jackdaw::c_interface
