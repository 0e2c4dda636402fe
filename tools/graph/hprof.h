// Hprof: reads the heap graph of a Java heap dump in the HPROF format (versions 1.0.1 and 1.0.2, and
// Android's 1.0.3), plain or gzipped.
//
// Nodes are every instance, object array, primitive array and class in the dump, numbered in the order of the
// dump. An instance refers to its class object and to every object field (its own class's, then its supers');
// an object array to its class object and its elements; a primitive array to nothing; a class to its super,
// loader, signers, protection domain and static object fields. Null identifiers and dangling ones become
// kNullNode. Every root record whose object is in the dump is one entry of `roots`.
//
// Instances are records (one type for each class), classes and object arrays are arrays, primitive arrays are
// data. If names are wanted, the types of arrays are named by their elements, such as "byte[]". Sizes are
// those of a heap with this project's headers, not the JVM's: an instance 8 + 8 * references
// + the bytes of its primitive fields; an object array 16 + 8 * slots; a class the same and the bytes of its
// primitive static fields; a primitive array 16 + length * element size; each rounded up to a multiple of 8.
//
// The dump is read twice, as a stream: first for identifiers, classes, sizes and roots, and to check
// everything; then for the references. If names are wanted, it is read once more up to the last thread's
// name. Memory is bounded by the graph's own and an identifier table of some 20 bytes a node. Invariant:
// whatever the bytes are, the outcome is a graph that satisfies Graph's invariants or an InputError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/command/memory_limit.h"
#include "tools/graph/byte_source.h"
#include "tools/graph/graph.h"

namespace jackdaw::tools {

/// The first string of dumps that Jackdaw writes, whose names are its own (HprofNames).
inline constexpr std::string_view kOwnHprof = "written by jackdaw heap --to hprof";

/// The limits of a dump's graph.
struct HprofLimits {
  /// The description, `heap_copies` heaps and the tables needed while reading must fit in this many bytes.
  std::uint64_t memory_limit_bytes = available_memory_bytes();
  unsigned heap_copies = 1;
  std::uint64_t maximum_nodes = kMaximumNodes;
  bool with_names = false;  ///< whether the graph has names (HprofNames) and its nodes have identifiers
};

/// A dump's graph, and counts of what is not in it.
struct HprofGraph {
  Graph graph;
  std::uint64_t root_records = 0;           ///< of every kind
  std::uint64_t dangling_root_records = 0;  ///< those that name no object in the dump
};

/// Returns the graph of the dump at `path`, a regular file. Throws InputError, naming the file, the byte
/// offset (in the uncompressed stream) and what would be right, for anything that is not a whole and
/// consistent dump and for one that exceeds `limits`. Linear in the size of the dump.
[[nodiscard]] HprofGraph read_hprof(const std::string& path, const HprofLimits& limits = {});

/// Reads a source that is already open.
[[nodiscard]] HprofGraph read_hprof(ByteSource& source, const HprofLimits& limits = {});

}  // namespace jackdaw::tools
