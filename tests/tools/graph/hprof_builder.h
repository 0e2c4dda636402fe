// Builds small HPROF heap dumps, right and wrong, for the tests of the reader.
//
// Invariant: what the calls for whole records append is well formed, unless an argument makes it wrong; the
// raw calls append what they are told. Identifiers have the size given to the constructor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tools/graph/bytes.h"

namespace jackdaw::tools {

/// The types of fields and of the elements of primitive arrays.
enum class HprofType : std::uint8_t {
  reference = 2,
  boolean = 4,
  int8 = 8,
  int16 = 9,
  int32 = 10,
  int64 = 11
};

/// A dump in the making.
class HprofBuilder {
 public:
  explicit HprofBuilder(unsigned identifier_bytes = 8, std::string_view version = "1.0.2")
      : identifier_bytes_(identifier_bytes) {
    text("JAVA PROFILE ");
    text(version);
    u1(0);
    u4(identifier_bytes);
    u8(0);
  }

  /// The bytes so far.
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }
  /// Where the next byte will be.
  [[nodiscard]] std::size_t offset() const { return bytes_.size(); }

  HprofBuilder& u1(std::uint64_t value) { return number(value, 1); }
  HprofBuilder& u2(std::uint64_t value) { return number(value, 2); }
  HprofBuilder& u4(std::uint64_t value) { return number(value, 4); }
  HprofBuilder& u8(std::uint64_t value) { return number(value, 8); }
  HprofBuilder& identifier(std::uint64_t value) { return number(value, identifier_bytes_); }
  HprofBuilder& text(std::string_view letters) {
    bytes_.insert(bytes_.end(), letters.begin(), letters.end());
    return *this;
  }

  /// Opens a record; end_record() writes its length.
  HprofBuilder& begin_record(std::uint8_t tag) {
    u1(tag).u4(0).u4(0);
    body_ = offset();
    return *this;
  }
  HprofBuilder& end_record() {
    const std::size_t length = offset() - body_;
    for (std::size_t i = 0; i < 4; ++i) bytes_[body_ - 1 - i] = static_cast<std::uint8_t>(length >> (8 * i));
    return *this;
  }
  HprofBuilder& begin_heap() { return begin_record(0x1c); }

  HprofBuilder& string(std::uint64_t id, std::string_view letters) {
    return begin_record(0x01).identifier(id).text(letters).end_record();
  }
  HprofBuilder& class_name(std::uint64_t class_id, std::uint64_t string_id, std::uint64_t serial = 1) {
    return begin_record(0x02).u4(serial).identifier(class_id).u4(0).identifier(string_id).end_record();
  }
  HprofBuilder& frame(std::uint64_t id, std::uint64_t method, std::uint64_t source,
                      std::uint64_t class_serial, std::uint64_t line) {
    begin_record(0x04).identifier(id).identifier(method).identifier(0).identifier(source);
    return u4(class_serial).u4(line).end_record();
  }
  HprofBuilder& trace(std::uint64_t serial, std::uint64_t thread, const std::vector<std::uint64_t>& frames) {
    begin_record(0x05).u4(serial).u4(thread).u4(frames.size());
    for (const std::uint64_t id : frames) identifier(id);
    return end_record();
  }
  /// A sticky class root.
  HprofBuilder& root(std::uint64_t id) { return u1(0x05).identifier(id); }

  struct ClassParts {
    std::uint64_t loader = 0;
    std::uint64_t signers = 0;
    std::uint64_t protection_domain = 0;
    std::vector<std::uint64_t> static_references = {};
    unsigned static_ints = 0;
    std::vector<HprofType> fields = {};
    std::vector<std::uint64_t> names = {};  ///< strings, of the static references and then of the fields
  };
  HprofBuilder& describe_class(std::uint64_t id, std::uint64_t super, const ClassParts& parts) {
    u1(0x20).identifier(id).u4(0).identifier(super).identifier(parts.loader).identifier(parts.signers);
    identifier(parts.protection_domain).identifier(0).identifier(0).u4(0).u2(0);
    u2(parts.static_references.size() + parts.static_ints);
    auto name = parts.names.begin();
    const auto next_name = [&] { return name == parts.names.end() ? 1 : *name++; };
    for (const std::uint64_t target : parts.static_references)
      identifier(next_name()).u1(2).identifier(target);
    for (unsigned i = 0; i < parts.static_ints; ++i) identifier(1).u1(10).u4(7);
    u2(parts.fields.size());
    for (const HprofType type : parts.fields) identifier(next_name()).u1(static_cast<std::uint8_t>(type));
    return *this;
  }
  HprofBuilder& describe_class(std::uint64_t id, std::uint64_t super = 0) {
    return describe_class(id, super, {});
  }

  /// An instance's fixed part; its `data_bytes` of fields are to follow.
  HprofBuilder& begin_instance(std::uint64_t id, std::uint64_t class_id, std::uint64_t data_bytes) {
    return u1(0x21).identifier(id).u4(0).identifier(class_id).u4(data_bytes);
  }
  HprofBuilder& object_array(std::uint64_t id, std::uint64_t class_id,
                             const std::vector<std::uint64_t>& elements) {
    u1(0x22).identifier(id).u4(0).u4(elements.size()).identifier(class_id);
    for (const std::uint64_t element : elements) identifier(element);
    return *this;
  }
  /// A primitive array's fixed part; `length` elements of `type` are to follow.
  HprofBuilder& begin_primitive_array(std::uint64_t id, std::uint64_t length, HprofType type) {
    return u1(0x23).identifier(id).u4(0).u4(length).u1(static_cast<std::uint8_t>(type));
  }

 private:
  HprofBuilder& number(std::uint64_t value, unsigned size) {
    for (unsigned i = size; i > 0; --i) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * (i - 1))));
    return *this;
  }

  unsigned identifier_bytes_;
  Bytes bytes_;
  std::size_t body_ = 0;
};

}  // namespace jackdaw::tools
