// HprofRecords: reads the records of an HPROF heap dump, one after the other, and knows nothing about graphs.
//
// The format is the JDK's hprof_b_spec / heapDumper.cpp, versions 1.0.1 and 1.0.2, and Android's 1.0.3
// (art/runtime/hprof/hprof.cc), which has further sub-records. A file is a header and records; a heap dump
// record, or each of several segments, holds sub-records: roots, classes, instances and arrays. Other records
// are skipped, whatever their tags; sub-records have no lengths, so unknown ones are refused. Invariants: a
// visitor sees only records whose lengths and element counts fit in what encloses them; everything else ends
// in InputError at the byte where it goes wrong. A visitor may read as much of a body as it likes, or
// nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/command/progress.h"
#include "tools/graph/byte_source.h"

namespace jackdaw::tools {

/// A run of primitive fields followed by a run of references, in the order of an instance's data.
struct FieldRun {
  std::uint32_t primitive_bytes = 0;
  std::uint32_t references = 0;
};

/// A class record. Offsets are those of the sub-record's tag.
struct ClassDump {
  std::uint64_t offset = 0;
  std::uint64_t identifier = 0;
  std::uint64_t super = 0;
  std::uint64_t loader = 0;
  std::uint64_t signers = 0;
  std::uint64_t protection_domain = 0;
  std::vector<std::uint64_t> static_references;
  std::uint64_t static_primitive_bytes = 0;
  std::vector<FieldRun> fields;  ///< the class's own, without its supers'
};

/// An instance; its body is `data_bytes` of field values.
struct InstanceDump {
  std::uint64_t offset;
  std::uint64_t identifier;
  std::uint64_t class_identifier;
  std::uint32_t data_bytes;
};

/// An array of references; its body is `length` identifiers.
struct ObjectArrayDump {
  std::uint64_t offset;
  std::uint64_t identifier;
  std::uint64_t class_identifier;
  std::uint32_t length;
};

/// An array without references. The dump may contain its length without its elements.
struct PrimitiveArrayDump {
  std::uint64_t offset;
  std::uint64_t identifier;
  std::uint64_t data_bytes;
};

/// Visits each record; does nothing by default. A body is read from the source.
class HprofVisitor {
 public:
  virtual ~HprofVisitor() = default;
  /// Visits a text, whose body is `bytes` long.
  virtual void visit_string(std::uint64_t /*identifier*/, std::uint64_t /*bytes*/) {}
  /// Visits the name of a class.
  virtual void visit_class_name(std::uint64_t /*class_identifier*/, std::uint64_t /*string_identifier*/) {}
  /// Visits a root record of any kind.
  virtual void visit_root(std::uint64_t /*offset*/, std::uint64_t /*identifier*/) {}
  virtual void visit_class(const ClassDump& /*dump*/) {}
  virtual void visit_instance(const InstanceDump& /*dump*/) {}
  virtual void visit_object_array(const ObjectArrayDump& /*dump*/) {}
  virtual void visit_primitive_array(const PrimitiveArrayDump& /*dump*/) {}
};

/// Walks over the records of a dump, from start to end, kPasses times at most.
class HprofRecords {
 public:
  /// The reader goes over a dump this many times; progress is shown as a part of all of them.
  static constexpr std::uint64_t kPasses = 2;

  /// Reads the file's header from the start of `source`. Throws InputError when it is not one of a dump.
  HprofRecords(ByteSource& source, Progress& progress);

  /// Goes over every record and calls `visitor` for each of interest. Throws InputError for one that is
  /// malformed, and when there is no heap dump record.
  void visit_all(HprofVisitor& visitor);

  /// The next identifier of the source.
  [[nodiscard]] std::uint64_t read_identifier() {
    return identifier_bytes_ == 8 ? source_.read_u8() : source_.read_u4();
  }
  /// 4 or 8.
  [[nodiscard]] unsigned identifier_bytes() const { return identifier_bytes_; }
  /// Where the records come from, for reading bodies and for errors.
  [[nodiscard]] ByteSource& source() { return source_; }

 private:
  void visit_record(HprofVisitor& visitor);
  void visit_heap(HprofVisitor& visitor, std::uint64_t end);
  void visit_sub_record(HprofVisitor& visitor);
  void visit_class_record(HprofVisitor& visitor, std::uint64_t offset);
  void visit_instance_record(HprofVisitor& visitor, std::uint64_t offset);
  void visit_object_array_record(HprofVisitor& visitor, std::uint64_t offset);
  void visit_primitive_array_record(HprofVisitor& visitor, std::uint64_t offset, bool has_data);

  void skip_constant_pool();
  void read_static_fields();
  void read_instance_fields();

  struct ValueType {
    unsigned bytes;
    bool is_reference;
  };
  [[nodiscard]] ValueType read_value_type();
  void require_body(std::uint64_t offset, std::uint64_t bytes) const;
  void show_progress();

  ByteSource& source_;
  Progress& progress_;
  unsigned identifier_bytes_ = 0;
  std::uint64_t passes_done_ = 0;
  bool heap_seen_ = false;
  ClassDump class_dump_;  ///< the latest; kept for its vectors' memory
};

}  // namespace jackdaw::tools
