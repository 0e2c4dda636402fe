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

/// The kinds of roots, by the tags of their sub-records.
enum class HprofRoot : std::uint8_t {
  jni_global = 0x01,
  jni_local = 0x02,
  java_frame = 0x03,
  native_stack = 0x04,
  sticky_class = 0x05,
  thread_block = 0x06,
  monitor_used = 0x07,
  thread_object = 0x08,
  interned_string = 0x89,
  finalizing = 0x8a,
  debugger = 0x8b,
  reference_cleanup = 0x8c,
  vm_internal = 0x8d,
  jni_monitor = 0x8e,
  unknown = 0xff,
};

struct RootDump {
  std::uint64_t offset = 0;
  HprofRoot kind = HprofRoot::unknown;
  std::uint64_t identifier = 0;
  std::uint32_t thread = 0;  ///< its serial number, where the kind tells it
  std::uint32_t frame = 0;   ///< its depth in the thread's stack; of a thread's object its stack trace
};

/// A frame of a thread's stack. Names are identifiers of strings.
struct FrameDump {
  std::uint64_t identifier = 0;
  std::uint64_t method = 0;
  std::uint64_t source = 0;
  std::uint32_t class_serial = 0;
  std::int32_t line = 0;  ///< none unless it is positive
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
  std::vector<std::uint64_t> static_names;  ///< of the static references, by identifiers of strings
  std::uint64_t static_primitive_bytes = 0;
  std::vector<FieldRun> fields;            ///< the class's own, without its supers'
  std::vector<std::uint64_t> field_names;  ///< of the references among them, by identifiers of strings
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

/// An array without references; its body is `data_bytes` of elements, unless the dump lacks them.
struct PrimitiveArrayDump {
  std::uint64_t offset;
  std::uint64_t identifier;
  std::uint64_t data_bytes;
  std::uint8_t type;  ///< of the elements, as HPROF numbers them: 4 to 11
  bool has_data;
};

/// Visits each record; does nothing by default. A body is read from the source.
class HprofVisitor {
 public:
  virtual ~HprofVisitor() = default;
  /// Visits a text, whose body is `bytes` long.
  virtual void visit_string(std::uint64_t /*identifier*/, std::uint64_t /*bytes*/) {}
  /// Visits the name of a class, and the number that frames have for it.
  virtual void visit_class_name(std::uint64_t /*class_identifier*/, std::uint64_t /*string_identifier*/,
                                std::uint32_t /*class_serial*/) {}
  virtual void visit_frame(const FrameDump& /*dump*/) {}
  /// Visits the next frame of a stack, by its identifier.
  virtual void visit_trace_frame(std::uint32_t /*trace_serial*/, std::uint64_t /*frame*/) {}
  /// Visits a root record of any kind.
  virtual void visit_root(const RootDump& /*dump*/) {}
  virtual void visit_class(const ClassDump& /*dump*/) {}
  virtual void visit_instance(const InstanceDump& /*dump*/) {}
  virtual void visit_object_array(const ObjectArrayDump& /*dump*/) {}
  virtual void visit_primitive_array(const PrimitiveArrayDump& /*dump*/) {}
  /// Returns true when the rest of the records need not be visited.
  [[nodiscard]] virtual bool is_done() const { return false; }
};

/// Walks over the records of a dump, from start to end, `passes` times at most.
class HprofRecords {
 public:
  /// Reads the file's header from the start of `source`. Progress is shown as a part of all `passes`. Throws
  /// InputError when it is not one of a dump.
  HprofRecords(ByteSource& source, Progress& progress, std::uint64_t passes);

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
  void visit_frame_record(HprofVisitor& visitor);
  void visit_trace_record(HprofVisitor& visitor);
  void visit_heap(HprofVisitor& visitor, std::uint64_t end);
  void visit_sub_record(HprofVisitor& visitor);
  void visit_root_record(HprofVisitor& visitor, std::uint64_t offset, std::uint8_t tag);
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
  const std::uint64_t passes_;
  unsigned identifier_bytes_ = 0;
  std::uint64_t passes_done_ = 0;
  bool heap_seen_ = false;
  ClassDump class_dump_;  ///< the latest; kept for its vectors' memory
};

}  // namespace jackdaw::tools
