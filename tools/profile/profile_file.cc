#include "tools/profile/profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "tools/command/input_error.h"
#include "tools/command/saturating.h"
#include "tools/graph/byte_source.h"
#include "tools/graph/footprint.h"

namespace jackdaw::tools {

namespace {

// The types of the values, in the order that a profile of Jackdaw's has.
constexpr std::array kValues{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"};

// Reads messages of protocol buffers.
class Reader {
 public:
  Reader(const std::string& path, std::uint64_t memory_limit_bytes)
      : source_(path), memory_limit_bytes_(memory_limit_bytes) {}

  // Calls `read(field, value)` for each number up to `end`, and `read(field, length)` for each text or
  // message, which `read` reads or skips. `is_text`: which of both.
  template <typename Read>
  void for_each_field(std::uint64_t end, Read read) {
    while (end == ByteSource::kNoBound ? !source_.at_end() : source_.offset() < end) {
      const std::uint64_t start = source_.offset();
      const std::uint64_t tag = source_.read_varint("a field's number");
      const std::uint64_t value = source_.read_varint("a number");
      if ((tag & 7) != 0 && (tag & 7) != 2)
        source_.fail(start, "no field of a profile; expected a profile of pprof's format");
      const bool is_text = (tag & 7) == 2;
      const std::uint64_t field_end = source_.offset() + (is_text ? value : 0);
      if (is_text && (field_end < value || field_end > end))
        source_.fail(start, "a field ends behind its message");
      read(tag >> 3, value, is_text);
      if (source_.offset() > field_end) source_.fail(start, "a field ends behind its message");
      if (source_.offset() < field_end) source_.skip(field_end - source_.offset());
    }
  }
  // Reads the numbers of a repeated field: one, or all in one text.
  void numbers(std::uint64_t value, bool is_text, std::vector<std::uint64_t>& numbers) {
    const auto add = [&](std::uint64_t number) {
      note_memory(kPerNumber);
      numbers.push_back(number);
    };
    if (!is_text) return add(value);
    for (const std::uint64_t end = source_.offset() + value; source_.offset() < end;)
      add(source_.read_varint("a number"));
  }
  // Fails if what was read so far and `bytes` more do not fit in memory.
  void note_memory(std::uint64_t bytes) {
    memory_bytes_ = saturating_add(memory_bytes_, bytes);
    require_memory_so_far(source_, memory_bytes_, 0, 0, memory_limit_bytes_);
  }
  [[nodiscard]] std::uint64_t end_of(std::uint64_t length) const { return source_.offset() + length; }
  std::string text(std::uint64_t length) {
    note_memory(saturating_add(length, kPerPart));
    return source_.read_text(length);
  }

  // A sample, a mapping, a location or a text takes at most so much, without its numbers and letters.
  static constexpr std::uint64_t kPerPart = 256;

 private:
  // A number lies in a vector that grows, and in that of the profile.
  static constexpr std::uint64_t kPerNumber = 4 * sizeof(std::uint64_t);

  ByteSource source_;
  std::uint64_t memory_limit_bytes_;
  std::uint64_t memory_bytes_ = 0;
};

// Puts the parts of a profile together, which may come in any order.
class ProfileBuilder {
 public:
  ProfileBuilder(const std::string& path, std::uint64_t memory_limit_bytes)
      : path_(path), reader_(path, memory_limit_bytes) {}

  ProfileFile build() {
    reader_.for_each_field(ByteSource::kNoBound,
                           [this](std::uint64_t field, std::uint64_t value, bool is_text) {
                             if (field == 1 && is_text) read_value_type(value);
                             if (field == 2 && is_text) read_sample(value);
                             if (field == 3 && is_text) read_mapping(value);
                             if (field == 4 && is_text) read_location(value);
                             if (field == 6 && is_text) texts_.push_back(reader_.text(value));
                             if (field == 12 && !is_text) profile_.every = value;
                           });
    check_values();
    for (ProfileFile::Mapping& mapping : profile_.mappings) mapping.path = text_at(mapping.text);
    for (std::size_t i = 0; i < samples_.size(); ++i) finish_sample(samples_[i]);
    return std::move(profile_);
  }

 private:
  struct RawSample {
    std::vector<std::uint64_t> locations;
    std::vector<std::uint64_t> values;
  };

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}: {}", path_, message));
  }
  [[nodiscard]] const std::string& text_at(std::uint64_t number) const {
    if (number >= texts_.size()) fail(fmt::format("there is no text number {}", number));
    return texts_[number];
  }
  void read_value_type(std::uint64_t length) {
    reader_.note_memory(Reader::kPerPart);
    std::uint64_t& first = value_types_.emplace_back(0);
    reader_.for_each_field(reader_.end_of(length),
                           [&](std::uint64_t field, std::uint64_t value, bool is_text) {
                             if (field == 1 && !is_text) first = value;
                           });
  }
  void read_sample(std::uint64_t length) {
    reader_.note_memory(Reader::kPerPart);
    RawSample& sample = samples_.emplace_back();
    reader_.for_each_field(reader_.end_of(length),
                           [&](std::uint64_t field, std::uint64_t value, bool is_text) {
                             if (field == 1) reader_.numbers(value, is_text, sample.locations);
                             if (field == 2) reader_.numbers(value, is_text, sample.values);
                           });
  }
  void read_mapping(std::uint64_t length) {
    reader_.note_memory(Reader::kPerPart);
    ProfileFile::Mapping& mapping = profile_.mappings.emplace_back();
    reader_.for_each_field(reader_.end_of(length),
                           [&](std::uint64_t field, std::uint64_t value, bool is_text) {
                             if (is_text) return;
                             if (field == 1) mapping.number = value;
                             if (field == 2) mapping.start = value;
                             if (field == 3) mapping.end = value;
                             if (field == 4) mapping.offset = value;
                             if (field == 5) mapping.text = value;
                           });
  }
  void read_location(std::uint64_t length) {
    std::uint64_t number = 0;
    std::uint64_t address = 0;
    reader_.for_each_field(reader_.end_of(length),
                           [&](std::uint64_t field, std::uint64_t value, bool is_text) {
                             if (is_text) return;
                             if (field == 1) number = value;
                             if (field == 3) address = value;
                           });
    reader_.note_memory(Reader::kPerPart);
    addresses_[number] = address;
  }
  void check_values() const {
    const auto is_named = [this](std::uint64_t type, const char* name) { return text_at(type) == name; };
    if (!std::ranges::equal(value_types_, kValues, is_named))
      fail(fmt::format("its values must be {}, as in a profile that Jackdaw writes",
                       fmt::format("{}, {}, {} and {}", kValues[0], kValues[1], kValues[2], kValues[3])));
  }
  void finish_sample(const RawSample& raw) {
    if (raw.values.size() != kValues.size())
      fail(fmt::format("a sample has {} values; expected {}", raw.values.size(), kValues.size()));
    ProfileFile::Sample& sample = profile_.samples.emplace_back();
    for (const std::uint64_t location : raw.locations) {
      const auto place = addresses_.find(location);
      if (place == addresses_.end()) fail(fmt::format("there is no location number {}", location));
      sample.addresses.push_back(place->second);
    }
    sample.objects = raw.values[0];
    sample.bytes = raw.values[1];
    sample.live_objects = raw.values[2];
    sample.live_bytes = raw.values[3];
  }

  const std::string& path_;
  Reader reader_;
  ProfileFile profile_;
  std::vector<std::uint64_t> value_types_;
  std::vector<RawSample> samples_;
  std::unordered_map<std::uint64_t, std::uint64_t> addresses_;
  std::vector<std::string> texts_;
};

}  // namespace

ProfileFile read_profile(const std::string& path, std::uint64_t memory_limit_bytes) {
  return ProfileBuilder(path, memory_limit_bytes).build();
}

}  // namespace jackdaw::tools
