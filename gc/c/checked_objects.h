// Checked objects: the objects of gc.h, section 5. A header before the program's bytes says where they were
// allocated, and guards at both ends reveal writes beyond them.
//
// They have kinds of their own (KindVariant::checked), by which a collection recognises them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/checked_header.h"
#include "heap/chunk.h"
#include "heap/kind.h"
#include "heap/object.h"

namespace jackdaw::c_interface {

using heap::CheckedHeader;
using heap::SourcePlace;

/// Returns the program's bytes of a new object of the checked variant of `kind`, or what the out-of-memory
/// function returns.
void* allocate_checked(std::size_t bytes, heap::KindNumber kind, SourcePlace place,
                       heap::LargeAddresses addresses = heap::LargeAddresses::all);
/// Whether an object was allocated with checks. Its header is at the object's start.
bool is_checked(const heap::Object* object);
/// Returns the header of the checked object whose program's bytes start at `address`, or null.
CheckedHeader* checked_header_of(void* address);
/// Writes a line to the log if something wrote beyond the object.
void report_if_smashed(CheckedHeader& header);

/// Notes the first smashed objects. While no other thread runs.
void note_smashed_objects();
/// Writes the noted objects to the log. With the lock.
void report_noted_objects();

}  // namespace jackdaw::c_interface
