#include "tools/graph/hprof_records.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

namespace jackdaw::tools {

namespace {

constexpr std::string_view kMagicStart = "JAVA PROFILE 1.0.";
constexpr std::size_t kMagicBytes = 19;  // with the digit of the version and a zero byte
constexpr std::uint64_t kFileHeaderBytes = kMagicBytes + 4 + 8;  // then the size of identifiers and the time

/// Tags of records that say something about the heap.
enum class RecordTag : std::uint8_t {
  string = 0x01,
  load_class = 0x02,
  stack_frame = 0x04,
  stack_trace = 0x05,
  heap_dump = 0x0c,
  heap_dump_segment = 0x1c,
};

/// Tags of sub-records that are no roots; the last three are Android's.
enum class SubRecordTag : std::uint8_t {
  class_dump = 0x20,
  instance_dump = 0x21,
  object_array_dump = 0x22,
  primitive_array_dump = 0x23,
  unreachable = 0x90,
  primitive_array_without_data = 0xc3,
  heap_dump_info = 0xfe,
};

constexpr std::uint64_t kRecordHeaderBytes = 9;  // tag, time and length

constexpr std::uint8_t kReferenceType = 2;

/// Returns the size of a value of a primitive type, or 0 for an unknown one.
unsigned primitive_bytes(std::uint8_t type) {
  switch (type) {
    case 4:  // boolean
    case 8:  // byte
      return 1;
    case 5:  // char
    case 9:  // short
      return 2;
    case 6:   // float
    case 10:  // int
      return 4;
    case 7:   // double
    case 11:  // long
      return 8;
    default:
      return 0;
  }
}

/// Returns how many bytes follow the object's identifier in a root record, or nothing for a tag that is not a
/// root's.
std::optional<std::uint64_t> root_bytes_after_identifier(std::uint8_t tag, unsigned identifier_bytes) {
  switch (static_cast<HprofRoot>(tag)) {
    case HprofRoot::unknown:
    case HprofRoot::sticky_class:
    case HprofRoot::monitor_used:
    case HprofRoot::interned_string:
    case HprofRoot::finalizing:
    case HprofRoot::debugger:
    case HprofRoot::reference_cleanup:
    case HprofRoot::vm_internal:
      return 0;
    case HprofRoot::native_stack:
    case HprofRoot::thread_block:
      return 4;
    case HprofRoot::jni_local:
    case HprofRoot::java_frame:
    case HprofRoot::thread_object:
    case HprofRoot::jni_monitor:
      return 8;
    case HprofRoot::jni_global:
      return identifier_bytes;
    default:
      return std::nullopt;
  }
}

}  // namespace

HprofRecords::HprofRecords(ByteSource& source, Progress& progress, std::uint64_t passes)
    : source_(source), progress_(progress), passes_(passes) {
  if (source_.at_end()) source_.fail(0, "the file is empty; must be an HPROF heap dump");
  source_.set_bound(kFileHeaderBytes, "header");
  const std::string magic = source_.read_text(kMagicBytes);
  const char version = magic[kMagicStart.size()];
  if (!magic.starts_with(kMagicStart) || version < '1' || version > '3' || magic.back() != '\0') {
    source_.fail(
        0,
        "not a heap dump; must start with 'JAVA PROFILE 1.0.' and 1, 2 or, as Android's, 3, and a zero byte");
  }
  identifier_bytes_ = source_.read_u4();
  if (identifier_bytes_ != 4 && identifier_bytes_ != 8) {
    source_.fail(kMagicBytes, fmt::format("identifiers of {} bytes; must be 4 or 8", identifier_bytes_));
  }
}

void HprofRecords::visit_all(HprofVisitor& visitor) {
  source_.rewind();
  source_.set_bound(kFileHeaderBytes, "header");
  source_.skip(kFileHeaderBytes);
  source_.clear_bound();
  heap_seen_ = false;
  while (!visitor.is_done() && !source_.at_end()) visit_record(visitor);
  if (!heap_seen_) source_.fail(source_.offset(), "the file ends without a heap dump record; must have one");
  ++passes_done_;
}

void HprofRecords::show_progress() {
  if (!progress_.due()) return;
  progress_.draw(passes_done_ * source_.file_bytes() + source_.file_bytes_taken(),
                 passes_ * source_.file_bytes());
}

void HprofRecords::visit_record(HprofVisitor& visitor) {
  show_progress();
  source_.set_bound(source_.offset() + kRecordHeaderBytes, "record header");
  const std::uint8_t tag = source_.read_u1();
  source_.skip(4);  // microseconds since the time in the header
  const std::uint32_t length = source_.read_u4();
  const std::uint64_t end = source_.offset() + length;
  source_.set_bound(end, "record");
  switch (static_cast<RecordTag>(tag)) {
    case RecordTag::string: {
      const std::uint64_t identifier = read_identifier();
      visitor.visit_string(identifier, source_.bytes_to_bound());
      break;
    }
    case RecordTag::load_class: {
      const std::uint32_t serial = source_.read_u4();
      const std::uint64_t class_identifier = read_identifier();
      source_.skip(4);  // stack trace
      visitor.visit_class_name(class_identifier, read_identifier(), serial);
      break;
    }
    case RecordTag::stack_frame:
      visit_frame_record(visitor);
      break;
    case RecordTag::stack_trace:
      visit_trace_record(visitor);
      break;
    case RecordTag::heap_dump:
    case RecordTag::heap_dump_segment:
      visit_heap(visitor, end);
      break;
    default:  // says nothing about the heap
      break;
  }
  if (!visitor.is_done()) source_.skip(source_.bytes_to_bound());
  source_.clear_bound();
}

void HprofRecords::visit_frame_record(HprofVisitor& visitor) {
  FrameDump dump;
  dump.identifier = read_identifier();
  dump.method = read_identifier();
  source_.skip(identifier_bytes_);  // the method's signature
  dump.source = read_identifier();
  dump.class_serial = source_.read_u4();
  dump.line = static_cast<std::int32_t>(source_.read_u4());
  visitor.visit_frame(dump);
}

void HprofRecords::visit_trace_record(HprofVisitor& visitor) {
  const std::uint64_t offset = source_.offset();
  const std::uint32_t serial = source_.read_u4();
  source_.skip(4);  // thread
  const std::uint32_t count = source_.read_u4();
  if (count > source_.bytes_to_bound() / identifier_bytes_)
    source_.fail(offset, fmt::format("a stack of {} frames, but its record has only {} bytes left; must fit "
                                     "in it",
                                     count, source_.bytes_to_bound()));
  for (std::uint32_t i = 0; i < count; ++i) visitor.visit_trace_frame(serial, read_identifier());
}

void HprofRecords::visit_heap(HprofVisitor& visitor, std::uint64_t end) {
  heap_seen_ = true;
  while (source_.offset() < end && !visitor.is_done()) {
    show_progress();
    visit_sub_record(visitor);
  }
}

void HprofRecords::visit_sub_record(HprofVisitor& visitor) {
  const std::uint64_t offset = source_.offset();
  const std::uint8_t tag = source_.read_u1();
  switch (static_cast<SubRecordTag>(tag)) {
    case SubRecordTag::class_dump:
      return visit_class_record(visitor, offset);
    case SubRecordTag::instance_dump:
      return visit_instance_record(visitor, offset);
    case SubRecordTag::object_array_dump:
      return visit_object_array_record(visitor, offset);
    case SubRecordTag::primitive_array_dump:
      return visit_primitive_array_record(visitor, offset, true);
    case SubRecordTag::primitive_array_without_data:
      return visit_primitive_array_record(visitor, offset, false);
    case SubRecordTag::unreachable:
      return source_.skip(identifier_bytes_);
    case SubRecordTag::heap_dump_info:
      return source_.skip(4 + std::uint64_t{identifier_bytes_});  // which heap, and its name
    default:
      break;
  }
  visit_root_record(visitor, offset, tag);
}

void HprofRecords::visit_root_record(HprofVisitor& visitor, std::uint64_t offset, std::uint8_t tag) {
  const std::optional<std::uint64_t> rest = root_bytes_after_identifier(tag, identifier_bytes_);
  if (!rest)
    source_.fail(offset, fmt::format("unknown heap sub-record tag {:#04x}; must be one of HPROF 1.0.3", tag));
  RootDump dump{.offset = offset, .kind = static_cast<HprofRoot>(tag), .identifier = read_identifier()};
  if (dump.kind == HprofRoot::jni_global) {
    source_.skip(*rest);
  } else {
    if (*rest >= 4) dump.thread = source_.read_u4();
    if (*rest == 8) dump.frame = source_.read_u4();
  }
  visitor.visit_root(dump);
}

void HprofRecords::visit_class_record(HprofVisitor& visitor, std::uint64_t offset) {
  class_dump_.offset = offset;
  class_dump_.identifier = read_identifier();
  source_.skip(4);  // stack trace
  class_dump_.super = read_identifier();
  class_dump_.loader = read_identifier();
  class_dump_.signers = read_identifier();
  class_dump_.protection_domain = read_identifier();
  source_.skip(2 * std::uint64_t{identifier_bytes_});  // reserved
  source_.skip(4);  // size of an instance in the virtual machine that wrote it
  skip_constant_pool();
  read_static_fields();
  read_instance_fields();
  visitor.visit_class(class_dump_);
}

void HprofRecords::skip_constant_pool() {
  for (unsigned left = source_.read_u2(); left > 0; --left) {
    source_.skip(2);  // index
    source_.skip(read_value_type().bytes);
  }
}

void HprofRecords::read_static_fields() {
  class_dump_.static_references.clear();
  class_dump_.static_names.clear();
  class_dump_.static_primitive_bytes = 0;
  for (unsigned left = source_.read_u2(); left > 0; --left) {
    const std::uint64_t name = read_identifier();
    const ValueType type = read_value_type();
    if (type.is_reference) {
      class_dump_.static_names.push_back(name);
      class_dump_.static_references.push_back(read_identifier());
    } else {
      source_.skip(type.bytes);
      class_dump_.static_primitive_bytes += type.bytes;
    }
  }
}

void HprofRecords::read_instance_fields() {
  class_dump_.fields.clear();
  class_dump_.field_names.clear();
  for (unsigned left = source_.read_u2(); left > 0; --left) {
    const std::uint64_t name = read_identifier();
    const ValueType type = read_value_type();
    if (type.is_reference) class_dump_.field_names.push_back(name);
    const bool opens_run =
        class_dump_.fields.empty() || (!type.is_reference && class_dump_.fields.back().references > 0);
    if (opens_run) class_dump_.fields.emplace_back();
    if (type.is_reference) {
      ++class_dump_.fields.back().references;
    } else {
      class_dump_.fields.back().primitive_bytes += type.bytes;
    }
  }
}

HprofRecords::ValueType HprofRecords::read_value_type() {
  const std::uint64_t offset = source_.offset();
  const std::uint8_t type = source_.read_u1();
  if (type == kReferenceType) return {identifier_bytes_, true};
  const unsigned bytes = primitive_bytes(type);
  if (bytes == 0) source_.fail(offset, fmt::format("unknown field type {}; must be 2 or 4 to 11", type));
  return {bytes, false};
}

void HprofRecords::visit_instance_record(HprofVisitor& visitor, std::uint64_t offset) {
  InstanceDump dump{};
  dump.offset = offset;
  dump.identifier = read_identifier();
  source_.skip(4);  // stack trace
  dump.class_identifier = read_identifier();
  dump.data_bytes = source_.read_u4();
  require_body(offset, dump.data_bytes);
  const std::uint64_t end = source_.offset() + dump.data_bytes;
  visitor.visit_instance(dump);
  source_.skip(end - source_.offset());
}

void HprofRecords::visit_object_array_record(HprofVisitor& visitor, std::uint64_t offset) {
  ObjectArrayDump dump{};
  dump.offset = offset;
  dump.identifier = read_identifier();
  source_.skip(4);  // stack trace
  dump.length = source_.read_u4();
  dump.class_identifier = read_identifier();
  const std::uint64_t bytes = std::uint64_t{dump.length} * identifier_bytes_;
  require_body(offset, bytes);
  const std::uint64_t end = source_.offset() + bytes;
  visitor.visit_object_array(dump);
  source_.skip(end - source_.offset());
}

void HprofRecords::visit_primitive_array_record(HprofVisitor& visitor, std::uint64_t offset, bool has_data) {
  PrimitiveArrayDump dump{};
  dump.offset = offset;
  dump.identifier = read_identifier();
  source_.skip(4);  // stack trace
  const std::uint32_t length = source_.read_u4();
  const std::uint64_t type_offset = source_.offset();
  dump.type = source_.read_u1();
  dump.has_data = has_data;
  const unsigned element_bytes = primitive_bytes(dump.type);
  if (element_bytes == 0)
    source_.fail(type_offset, fmt::format("unknown element type {}; must be 4 to 11", dump.type));
  dump.data_bytes = std::uint64_t{length} * element_bytes;
  if (has_data) require_body(offset, dump.data_bytes);
  const std::uint64_t end = source_.offset() + (has_data ? dump.data_bytes : 0);
  visitor.visit_primitive_array(dump);
  source_.skip(end - source_.offset());
}

void HprofRecords::require_body(std::uint64_t offset, std::uint64_t bytes) const {
  if (bytes <= source_.bytes_to_bound()) return;
  source_.fail(offset,
               fmt::format("an object with {} bytes of data, but its record has only {} left; must fit in it",
                           bytes, source_.bytes_to_bound()));
}

}  // namespace jackdaw::tools
