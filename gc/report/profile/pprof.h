// encode_pprof(): puts an allocation profile into the format of pprof, a message of protocol buffers
// (profile.proto), uncompressed.
//
// Each sample has four values: allocated objects and bytes, live objects and bytes. Addresses have no names;
// pprof and `jackdaw profile` find them in the files that the mappings name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/page_vector.h"
#include "gc/report/profile/allocation_profile.h"

namespace jackdaw::gc {

/// Reads /proc/self/maps; empty when it cannot be read. Without malloc.
void read_memory_map(base::PageVector<char>& text);

/// Appends the profile, in which an object became a sample every `every` bytes on average, to `out`. `maps`
/// is the text of /proc/self/maps. Returns false when there was no memory for all of it. Without malloc.
bool encode_pprof(const AllocationSites& profile, std::uint64_t every, std::string_view maps,
                  base::PageVector<std::byte>& out);

}  // namespace jackdaw::gc
