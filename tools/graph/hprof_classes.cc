#include "tools/graph/hprof_classes.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/command/printable_name.h"
#include "tools/command/saturating.h"

namespace jackdaw::tools {

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
}

void HprofClasses::set_name(std::uint64_t class_identifier, std::uint64_t string_identifier) {
  classes_[mention(class_identifier)].name = name_index_.insert(string_identifier).number;
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
  names_.resize(name_index_.size());
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

void HprofClasses::read_name(std::uint64_t string_identifier, std::uint64_t bytes, ByteSource& source) {
  const std::uint32_t number = name_index_.number_of(string_identifier);
  if (number >= names_.size()) return;
  names_[number] = name_to_keep(source.read_text(std::min<std::uint64_t>(bytes, kLongestName + 1)));
}

std::uint64_t HprofClasses::table_bytes() const {
  // Vectors that double hold up to three times their contents while they grow.
  constexpr std::uint64_t kPerClass = 3 * sizeof(Class) + IdentifierIndex::kPeakBytesPerIdentifier;
  constexpr std::uint64_t kPerName =
      2 * sizeof(std::string) + 2 * kLongestName + IdentifierIndex::kPeakBytesPerIdentifier;
  return classes_.size() * kPerClass + fields_.size() * 3 * sizeof(FieldRun) + name_index_.size() * kPerName;
}

std::string HprofClasses::name(ClassNumber number) const {
  const std::uint32_t name = classes_[number].name;
  if (name < names_.size() && !names_[name].empty()) return names_[name];
  return fmt::format("class {:#x}", index_.identifier(number));
}

}  // namespace jackdaw::tools
