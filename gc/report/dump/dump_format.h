// The format of heap dumps: docs/heap-dump.md describes it. The writer of dumps (heap_dump.h) and their
// reader (tools/graph/dump_records.h) share these numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace jackdaw::gc {

/// The first bytes, once the file is decompressed.
inline constexpr std::string_view kDumpMagic = "JDHEAP1\n";

/// The first byte of each record.
enum class DumpTag : std::uint8_t {
  program = 'P',  ///< the first record
  object_file = 'M',
  kind = 'K',
  type = 'T',
  block = 'B',
  roots = 'R',
  return_addresses = 'A',
  end = 'E',  ///< the last record
};

/// Where roots lie, in the records of roots.
enum class DumpRoots : std::uint8_t {
  stack,
  thread_locals,
  static_data,   ///< of the program or a shared object, or an added range (GC_add_roots)
  pushed,        ///< by the program's own procedure (GC_set_push_other_roots)
  persistent,    ///< jackdaw::Persistent
  finalization,  ///< objects that wait for their finalizer or destructor, and toggle references
};
inline constexpr std::uint64_t kDumpRootsKinds = 6;

/// The kinds of a reference's word (records of blocks).
inline constexpr std::uint64_t kDumpNoWord = 0;  ///< it lies in no word of the object

}  // namespace jackdaw::gc
