// DumpGraph: reads one of Jackdaw's heap dumps (docs/heap-dump.md) as a graph whose objects lie as they did
// in the program.
//
// Nodes are the live objects and, where small objects lay side by side, the free slots and garbage between
// them, which nothing refers to. They are numbered block by block, in the order of addresses within each,
// which is also the order of allocation: so a heap that fills its blocks one after the other puts the same
// objects side by side. An object has a slot for each word up to its last reference. Sizes are the dump's,
// plus 16 bytes where objects are to have headers. The roots are the dump's, and the uncollectable objects.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gc/report/dump/dump_format.h"
#include "tools/graph/byte_source.h"
#include "tools/graph/dump_records.h"
#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"

namespace jackdaw::tools {

/// Where a root of a dump lies.
struct DumpedRootPlace {
  std::optional<gc::DumpRoots> where;  ///< nothing: the object is uncollectable
  std::uint64_t thread = 0;
  std::uint64_t stack_end = 0;
  std::uint64_t place = 0;     ///< the place's address; 0: none
  std::uint64_t interior = 0;  ///< the offset from the object's start
};

/// A word of a stack that looks like a return address.
struct DumpedCall {
  std::uint64_t place = 0;
  std::uint64_t return_address = 0;
};

/// The number of objects that a block, or a large object, has room for, and holds.
struct DumpedBlockUse {
  std::uint64_t object_bytes = 0;
  std::uint64_t slots = 0;
  std::uint64_t live = 0;
};

/// The contents of a dump.
struct DumpedHeap {
  Graph graph;
  std::vector<std::uint64_t> addresses;      ///< of the nodes
  std::vector<bool> is_live;                 ///< whether a node is an object
  std::vector<bool> is_certain;              ///< whether its references are exact; else any word may be one
  std::vector<DumpedBlockUse> blocks;        ///< the blocks of live objects
  std::vector<DumpedRootPlace> root_places;  ///< of the graph's roots
  DumpedProgram program;
  std::vector<DumpedObjectFile> files;
  std::map<std::uint64_t, std::vector<DumpedCall>> calls;  ///< by thread, by ascending places
  /// The calls that allocated objects, the innermost first, and their numbers for objects that were samples
  /// of a profile.
  std::vector<std::vector<std::uint64_t>> allocating_calls;
  std::map<NodeId, std::uint64_t> samples;
};

/// Reads the dump at `path`, a regular file, with the contract of read_heap_dump().
[[nodiscard]] DumpedHeap read_dumped_heap(const std::string& path, const GraphOptions& options = {});
/// Reads a source that is already open.
[[nodiscard]] DumpedHeap read_dumped_heap(ByteSource& source, const GraphOptions& options);

/// Returns the graph of the dump at `path`, a regular file, within the limits of `options`. Throws
/// InputError, naming the file, the byte and what would be right, for anything that is not a whole and
/// consistent dump. Linear in the size of the dump.
[[nodiscard]] Graph read_heap_dump(const std::string& path, const GraphOptions& options = {});

/// Reads a source that is already open.
[[nodiscard]] Graph read_heap_dump(ByteSource& source, const GraphOptions& options);

}  // namespace jackdaw::tools
