// HprofClasses: the classes of a heap dump: the layout of their instances, and their names and fields' names.
//
// A class may be named (by an instance, a name or a subclass) without being described, so all are numbered
// when first seen and checked once, by resolve(). Invariant: after resolve(), every class that has instances
// is described, as are all its supers, no class is its own super, and its instances have exactly its fields'
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/graph/byte_source.h"
#include "tools/graph/hprof_records.h"
#include "tools/graph/hprof_strings.h"
#include "tools/graph/identifier_index.h"

namespace jackdaw::tools {

/// The table of classes, filled in the first pass over a dump and used in the second.
class HprofClasses {
 public:
  using ClassNumber = std::uint32_t;

  /// `with_fields`: whether fields have names, and classes are found by serial numbers.
  explicit HprofClasses(bool with_fields) : with_fields_(with_fields) {}

  /// Adds a class record that describes a class for the first time.
  void describe(const ClassDump& dump);
  /// Notes that the class's name is the text `string_identifier`.
  void set_name(std::uint64_t class_identifier, std::uint64_t string_identifier, std::uint32_t serial);
  /// Returns the number of the class of an object, or of an array of objects.
  ClassNumber mention(std::uint64_t identifier);
  /// Counts an instance and returns its class. Throws InputError when another instance of the class has data
  /// of another length.
  ClassNumber add_instance(const InstanceDump& dump, const ByteSource& source);

  /// Computes every class's fields with its supers'. Throws InputError, at the record at fault, where the
  /// table's invariant does not hold. `identifier_bytes` is the size of a reference in an instance's data.
  void resolve(const ByteSource& source, unsigned identifier_bytes);

  /// The dump's texts, among them all names.
  [[nodiscard]] HprofStrings& strings() { return strings_; }

  /// How many classes have been mentioned.
  [[nodiscard]] std::size_t size() const { return classes_.size(); }
  /// Upper bound of the bytes that the table takes or will take with its names.
  [[nodiscard]] std::uint64_t table_bytes() const;

  /// The class with this identifier, or IdentifierIndex::kAbsent.
  [[nodiscard]] ClassNumber number_of(std::uint64_t identifier) const { return index_.number_of(identifier); }
  /// The class's name as in Java's source, such as "byte[]"; its identifier where the dump gives none.
  [[nodiscard]] std::string name(ClassNumber number) const;
  /// Returns the name that the dump gives, such as "[B"; empty where it gives none.
  [[nodiscard]] std::string internal_name(ClassNumber number) const;
  /// Returns the class whose serial number is `serial`, or IdentifierIndex::kAbsent.
  [[nodiscard]] ClassNumber with_serial(std::uint32_t serial) const;
  /// Returns the names of the class's static references, in their order.
  [[nodiscard]] std::string static_name(ClassNumber number, std::uint64_t reference) const;
  /// Returns the name of one of an instance's references, which are counted through all its supers'.
  [[nodiscard]] std::string field_name(ClassNumber number, std::uint64_t reference) const;
  /// Returns a text that the dump has.
  [[nodiscard]] std::string text(HprofStrings::Number number) const { return strings_.text(number); }

  /// The following is known after resolve(): the number of instances, and their layout.
  [[nodiscard]] std::uint64_t instances(ClassNumber number) const { return classes_[number].instances; }
  [[nodiscard]] std::uint64_t references(ClassNumber number) const { return classes_[number].references; }
  [[nodiscard]] std::uint64_t primitive_bytes(ClassNumber number) const {
    return classes_[number].primitive_bytes;
  }
  [[nodiscard]] std::uint32_t data_bytes(ClassNumber number) const { return classes_[number].data_bytes; }

  /// Calls `visit` for every run of fields in an instance's data, in order: the class's own, then its
  /// supers'.
  template <class Visit>
  void for_each_field_run(ClassNumber number, Visit&& visit) const {
    // Classes without fields are left out, so the walk is never longer than the data.
    for (ClassNumber at = number; at != kNone; at = classes_[at].next_with_fields) {
      for (const FieldRun& run : fields_of(classes_[at])) visit(run);
    }
  }

 private:
  static constexpr ClassNumber kNone = IdentifierIndex::kAbsent;

  enum class State : std::uint8_t { unresolved, in_progress, resolved, incomplete };

  struct Class {
    std::uint64_t offset = 0;  ///< of its record
    std::uint64_t super_identifier = 0;
    ClassNumber super = kNone;
    ClassNumber next_with_fields = kNone;  ///< the nearest super that has fields of its own
    std::size_t first_field = 0;           ///< of its own, in fields_
    std::uint32_t field_count = 0;
    std::uint32_t name = kNone;
    std::size_t first_field_name = 0;  ///< in field_names_: of the static references, then its own
    std::uint32_t static_references = 0;
    std::uint32_t own_references = 0;
    bool described = false;
    State state = State::unresolved;
    std::uint64_t references = 0;  ///< in an instance, with the supers'
    std::uint64_t primitive_bytes = 0;
    std::uint64_t instances = 0;
    std::uint64_t first_instance_offset = 0;
    std::uint32_t data_bytes = 0;  ///< of each instance
  };

  void resolve_class(ClassNumber number, const ByteSource& source);
  void add_fields_to_super(Class& subject) const;
  void check_instances(ClassNumber number, const ByteSource& source, unsigned identifier_bytes) const;
  [[nodiscard]] std::span<const FieldRun> fields_of(const Class& subject) const {
    return {fields_.data() + subject.first_field, subject.field_count};
  }

  bool with_fields_;
  IdentifierIndex index_;
  std::vector<Class> classes_;
  std::vector<FieldRun> fields_;
  std::vector<HprofStrings::Number> field_names_;
  std::unordered_map<std::uint32_t, ClassNumber> by_serial_;
  HprofStrings strings_;
};

}  // namespace jackdaw::tools
