// The format of heap dumps, which docs/heap-dump.md describes: numbers that their writer (heap_dump.h) and
// their reader (tools/graph/dump_records.h) share.
#pragma once

#include <cstdint>
#include <string_view>

namespace jackdaw::gc {

/// The first bytes of the decompressed file.
inline constexpr std::string_view kDumpMagic = "JDHEAP1\n";

/// The first byte of each record.
enum class DumpTag : std::uint8_t {
  program = 'P',  ///< the first record
  object_file = 'M',
  kind = 'K',
  type = 'T',
  block = 'B',
  calls = 'C',   ///< calls that allocated objects
  sample = 'S',  ///< an object, and the calls that allocated it
  roots = 'R',
  return_addresses = 'A',
  end = 'E',  ///< the last record
};

/// Where roots lie, in the records of roots.
enum class DumpRoots : std::uint8_t {
  stack,
  thread_locals,
  static_data,   ///< the program's, a shared object's, or an added range (GC_add_roots)
  pushed,        ///< pushed by the program's own procedure (GC_set_push_other_roots)
  persistent,    ///< jackdaw::Persistent
  finalization,  ///< objects that wait for their finalizer or destructor, and toggle references
};
inline constexpr std::uint64_t kDumpRootsKinds = 6;

/// The kinds of a reference's word (records of blocks).
inline constexpr std::uint64_t kDumpNoWord = 0;  ///< the reference lies in no word of the object

}  // namespace jackdaw::gc
