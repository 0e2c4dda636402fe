#include "tools/graph/hprof_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tools/command/printable_name.h"
#include "tools/command/saturating.h"

namespace jackdaw::tools {

namespace {

// Returns the name in Java's source for a class's name in the virtual machine: "byte[]" for "[B".
std::string source_name(std::string_view name) {
  constexpr std::pair<char, std::string_view> kPrimitives[] = {
      {'Z', "boolean"}, {'C', "char"},  {'F', "float"}, {'D', "double"},
      {'B', "byte"},    {'S', "short"}, {'I', "int"},   {'J', "long"}};
  const std::size_t dimensions = std::min(name.find_first_not_of('['), name.size());
  std::string_view element = name.substr(dimensions);
  const auto* const primitive = std::ranges::find(kPrimitives, element.empty() ? '\0' : element.front(),
                                                  &std::pair<char, std::string_view>::first);
  if (dimensions > 0 && element.size() == 1 && primitive != std::end(kPrimitives)) {
    element = primitive->second;
  } else if (dimensions > 0 && element.starts_with('L') && element.ends_with(';')) {
    element = element.substr(1, element.size() - 2);
  }
  std::string text(element);
  std::ranges::replace(text, '/', '.');
  for (std::size_t i = 0; i < dimensions; ++i) text += "[]";
  return text;
}

}  // namespace

HprofClasses::ClassNumber HprofClasses::mention(std::uint64_t identifier) {
  const IdentifierIndex::Insertion insertion = index_.insert(identifier);
  if (insertion.is_new) classes_.emplace_back();
  return insertion.number;
}

void HprofClasses::describe(const ClassDump& dump) {
  Class& subject = classes_[mention(dump.identifier)];
  subject.described = true;
  subject.offset = dump.offset;
  subject.super_identifier = dump.super;
  subject.first_field = fields_.size();
  subject.field_count = static_cast<std::uint32_t>(dump.fields.size());
  fields_.insert(fields_.end(), dump.fields.begin(), dump.fields.end());
  if (!with_fields_) return;
  subject.first_field_name = field_names_.size();
  subject.static_references = static_cast<std::uint32_t>(dump.static_names.size());
  subject.own_references = static_cast<std::uint32_t>(dump.field_names.size());
  for (const auto* const names : {&dump.static_names, &dump.field_names}) {
    for (const std::uint64_t name : *names) field_names_.push_back(strings_.want(name));
  }
}

void HprofClasses::set_name(std::uint64_t class_identifier, std::uint64_t string_identifier,
                            std::uint32_t serial) {
  const ClassNumber number = mention(class_identifier);
  classes_[number].name = strings_.want(string_identifier);
  if (with_fields_) by_serial_[serial] = number;
}

HprofClasses::ClassNumber HprofClasses::add_instance(const InstanceDump& dump, const ByteSource& source) {
  const ClassNumber number = mention(dump.class_identifier);
  Class& subject = classes_[number];
  if (subject.instances == 0) {
    subject.first_instance_offset = dump.offset;
    subject.data_bytes = dump.data_bytes;
  } else if (subject.data_bytes != dump.data_bytes) {
    source.fail(dump.offset,
                fmt::format("an instance of class {:#x} with {} bytes of data; the one at byte {} has {}, "
                            "and all of a class must have the same",
                            dump.class_identifier, dump.data_bytes, subject.first_instance_offset,
                            subject.data_bytes));
  }
  ++subject.instances;
  return number;
}

void HprofClasses::resolve(const ByteSource& source, unsigned identifier_bytes) {
  for (Class& subject : classes_) {
    if (subject.described && subject.super_identifier != 0)
      subject.super = number_of(subject.super_identifier);
  }
  for (ClassNumber number = 0; number < classes_.size(); ++number) {
    resolve_class(number, source);
    check_instances(number, source, identifier_bytes);
  }
}

/// Resolves a class after its supers, without recursion, as the dump's chains may be of any length.
void HprofClasses::resolve_class(ClassNumber number, const ByteSource& source) {
  std::vector<ClassNumber> chain;
  for (ClassNumber at = number; at != kNone && classes_[at].state <= State::in_progress;
       at = classes_[at].super) {
    Class& subject = classes_[at];
    if (subject.state == State::in_progress) {
      source.fail(subject.offset, fmt::format("class {:#x} is among its own superclasses; must not be",
                                              index_.identifier(at)));
    }
    subject.state = State::in_progress;
    chain.push_back(at);
  }
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) add_fields_to_super(classes_[*at]);
}

/// The fields of `subject` are its super's, which is resolved, and its own.
void HprofClasses::add_fields_to_super(Class& subject) const {
  const bool super_is_missing = subject.super_identifier != 0 && subject.super == kNone;
  subject.state = subject.described && !super_is_missing ? State::resolved : State::incomplete;
  if (subject.super != kNone) {
    const Class& super = classes_[subject.super];
    if (super.state == State::incomplete) subject.state = State::incomplete;
    subject.next_with_fields = super.field_count > 0 ? subject.super : super.next_with_fields;
    subject.references = super.references;
    subject.primitive_bytes = super.primitive_bytes;
  }
  for (const FieldRun& run : fields_of(subject)) {
    subject.references += run.references;
    subject.primitive_bytes += run.primitive_bytes;
  }
}

void HprofClasses::check_instances(ClassNumber number, const ByteSource& source,
                                   unsigned identifier_bytes) const {
  const Class& subject = classes_[number];
  if (subject.instances == 0) return;
  const std::uint64_t identifier = index_.identifier(number);
  if (!subject.described) {
    source.fail(
        subject.first_instance_offset,
        fmt::format("an instance of class {:#x}, which the dump does not describe; must have a class record",
                    identifier));
  }
  if (subject.state == State::incomplete) {
    source.fail(subject.first_instance_offset,
                fmt::format("an instance of class {:#x}, whose superclasses are not all in the dump; must be",
                            identifier));
  }
  const std::uint64_t expected = subject.references * identifier_bytes + subject.primitive_bytes;
  if (subject.data_bytes != expected) {
    source.fail(
        subject.first_instance_offset,
        fmt::format("an instance of class {:#x} with {} bytes of data; by the class's fields it must have {}",
                    identifier, subject.data_bytes, expected));
  }
}

std::uint64_t HprofClasses::table_bytes() const {
  // Vectors that double hold up to three times their contents while they grow.
  constexpr std::uint64_t kPerClass = 3 * sizeof(Class) + IdentifierIndex::kPeakBytesPerIdentifier;
  // The nodes of maps, with what malloc adds, are below 100 bytes.
  constexpr std::uint64_t kPerSerial = 100;
  return classes_.size() * kPerClass + fields_.size() * 3 * sizeof(FieldRun) +
         field_names_.size() * 3 * sizeof(HprofStrings::Number) + by_serial_.size() * kPerSerial +
         strings_.table_bytes();
}

std::string HprofClasses::internal_name(ClassNumber number) const {
  return strings_.text(classes_[number].name);
}

std::string HprofClasses::name(ClassNumber number) const {
  const std::string name = internal_name(number);
  return name.empty() ? fmt::format("class {:#x}", index_.identifier(number)) : source_name(name);
}

HprofClasses::ClassNumber HprofClasses::with_serial(std::uint32_t serial) const {
  const auto found = by_serial_.find(serial);
  return found == by_serial_.end() ? kNone : found->second;
}

std::string HprofClasses::static_name(ClassNumber number, std::uint64_t reference) const {
  const Class& subject = classes_[number];
  if (reference >= subject.static_references) return "";
  return strings_.text(field_names_[subject.first_field_name + reference]);
}

std::string HprofClasses::field_name(ClassNumber number, std::uint64_t reference) const {
  for (ClassNumber at = number; at != kNone; at = classes_[at].next_with_fields) {
    const Class& subject = classes_[at];
    if (reference < subject.own_references)
      return strings_.text(field_names_[subject.first_field_name + subject.static_references + reference]);
    reference -= subject.own_references;
  }
  return "";
}

}  // namespace jackdaw::tools
