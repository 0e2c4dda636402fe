// DumpRecords: reads the records of one of Jackdaw's heap dumps (docs/heap-dump.md), one after the other.
//
// Invariant: whatever the bytes are, each record that a visitor sees is well formed by itself: an object lies
// in its block, a reference's word in its object. Otherwise an InputError says what is wrong, and where.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gc/report/dump/dump_format.h"
#include "heap/kind.h"
#include "tools/command/progress.h"
#include "tools/graph/byte_source.h"

namespace jackdaw::tools {

struct DumpedProgram {
  std::uint64_t process = 0;
  std::uint64_t seconds = 0;     ///< since 1970
  std::uint64_t collection = 0;  ///< the collection's number
  std::string path;
};

/// A program or shared object that was loaded.
struct DumpedObjectFile {
  struct Segment {
    std::uint64_t bytes;
    std::uint64_t address;
    bool is_code;
  };
  std::uint64_t load_bias = 0;
  std::string path;  ///< empty: the program's own
  std::vector<Segment> segments;
};

struct DumpedKind {
  heap::Contents contents = heap::Contents::words;
  bool is_collectable = true;
  bool has_types = false;  ///< the dump has each object's type
};

/// A block of objects of one size, or a large object.
struct DumpedBlock {
  std::uint64_t address = 0;
  std::uint64_t kind = 0;
  std::uint64_t object_bytes = 0;
  std::uint64_t slots = 0;
};

struct DumpedObject {
  std::uint64_t offset = 0;  ///< of the block's record in the file
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t type = 0;  ///< where the kind has types
};

struct DumpedReference {
  std::uint64_t word = 0;      ///< its number in the object plus 1; or gc::kDumpNoWord
  std::uint64_t target = 0;    ///< the object's address
  std::uint64_t interior = 0;  ///< the word's offset from the object's start
};

struct DumpedRoots {
  gc::DumpRoots where = gc::DumpRoots::static_data;
  std::uint64_t thread = 0;
  std::uint64_t stack_end = 0;
};

struct DumpedRoot {
  std::uint64_t offset = 0;
  std::uint64_t place = 0;  ///< the place's address; 0: none
  std::uint64_t target = 0;
  std::uint64_t interior = 0;
};

/// An object whose allocation was a sample of a profile.
struct DumpedSample {
  std::uint64_t offset = 0;
  std::uint64_t object = 0;  ///< its address
  std::uint64_t calls = 0;   ///< the number of the calls that allocated it
};

/// The totals at the end of a dump.
struct DumpTotals {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::uint64_t references = 0;
  std::uint64_t roots = 0;

  friend bool operator==(const DumpTotals&, const DumpTotals&) = default;
};

/// Visits records; those whose function is not overridden are skipped.
class DumpVisitor {
 public:
  virtual ~DumpVisitor() = default;
  virtual void visit_program(const DumpedProgram&) {}
  virtual void visit_object_file(const DumpedObjectFile&) {}
  virtual void visit_type(std::uint64_t /*type*/, const std::string& /*name*/) {}
  virtual void begin_block(const DumpedBlock&, const DumpedKind&) {}
  virtual void begin_object(const DumpedObject&) {}
  virtual void visit_reference(const DumpedReference&) {}
  virtual void end_object() {}
  virtual void end_block() {}
  /// Calls that allocated objects, the innermost first; the first ones have number 0.
  virtual void visit_calls(const std::vector<std::uint64_t>& /*addresses*/) {}
  /// The object that `sample` leads to was allocated by calls that were visited before.
  virtual void visit_sample(const DumpedSample& /*sample*/) {}
  virtual void begin_roots(const DumpedRoots&) {}
  virtual void visit_root(const DumpedRoot&) {}
  virtual void visit_return_address(std::uint64_t /*thread*/, std::uint64_t /*place*/,
                                    std::uint64_t /*address*/) {}
};

class DumpRecords {
 public:
  /// Reads the magic. Throws InputError when the file is no dump.
  explicit DumpRecords(ByteSource& source, Progress& progress);

  /// Visits all records from the first on. May be called again. Throws InputError.
  void visit_all(DumpVisitor& visitor);

  ByteSource& source() { return source_; }

 private:
  void read_program(DumpVisitor& visitor);
  void read_object_file(DumpVisitor& visitor);
  void read_kind();
  void read_type(DumpVisitor& visitor);
  void read_block(DumpVisitor& visitor);
  void read_object(DumpVisitor& visitor, const DumpedBlock& block, const DumpedKind& kind,
                   std::uint64_t slot);
  void read_calls(DumpVisitor& visitor);
  void read_sample(DumpVisitor& visitor);
  void read_roots(DumpVisitor& visitor);
  void read_return_addresses(DumpVisitor& visitor);
  void read_end();
  std::string read_string(const char* what);
  std::uint64_t read_bounded(std::uint64_t most, const char* what);
  std::uint64_t read_address_from(std::uint64_t& last, const char* what);

  ByteSource& source_;
  Progress& progress_;
  std::array<DumpedKind, heap::KindTable::kMaximumKinds> kinds_;
  std::uint64_t kind_count_ = 0;
  std::uint64_t calls_count_ = 0;
  std::uint64_t last_block_ = 0;
  std::uint64_t last_target_ = 0;
  std::uint64_t last_place_ = 0;
  DumpTotals totals_;
};

}  // namespace jackdaw::tools
