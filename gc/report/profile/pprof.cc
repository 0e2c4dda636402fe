#include "gc/report/profile/pprof.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <initializer_list>
#include <span>
#include <utility>

#include "gc/report/profile/protobuf_message.h"

namespace jackdaw::gc {

namespace {

// A piece of code that is loaded.
struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  std::string_view path;
};

// Takes the text up to `end` from the front, and the end with it.
std::string_view take_until(std::string_view& text, char end) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return taken;
}

std::uint64_t hexadecimal(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return number;
}

// A line is "START-END rwxp OFFSET DEVICE INODE     PATH".
Mapping mapping_of(std::string_view line) {
  Mapping mapping;
  mapping.start = hexadecimal(take_until(line, '-'));
  mapping.end = hexadecimal(take_until(line, ' '));
  const std::string_view permissions = take_until(line, ' ');
  mapping.offset = hexadecimal(take_until(line, ' '));
  const std::size_t path = line.find('/');
  if (permissions.size() == 4 && permissions[2] == 'x' && path != std::string_view::npos)
    mapping.path = line.substr(path);
  return mapping;
}

// It is exact for estimates of less than 2^52, as std::llround is, which needs libm.
std::uint64_t rounded(double value) {
  return static_cast<std::uint64_t>(std::max(value, 0.0) + 0.5);  // NOLINT(bugprone-incorrect-roundings)
}

// Writes the parts of a Profile. The numbers of fields are those of profile.proto.
class ProfileWriter {
 public:
  ProfileWriter(const AllocationSites& profile, base::PageVector<std::byte>& out)
      : profile_(profile), out_(out) {}

  bool write(std::uint64_t every, std::string_view maps) {
    const std::array<std::string_view, 7> names = {"",      "alloc_objects", "count",      "alloc_space",
                                                   "bytes", "inuse_objects", "inuse_space"};
    constexpr std::uint64_t kSpace = 7;
    constexpr std::uint64_t kDropped = 8;
    for (const auto& [type, unit] :
         std::initializer_list<std::pair<std::uint64_t, std::uint64_t>>{{1, 2}, {3, 4}, {5, 2}, {6, 4}})
      value_type(1, type, unit);
    for (const AllocationSites::Site& site : profile_.sites()) sample(site);
    for (const std::string_view name : names) out_.text(6, name);
    out_.text(6, "space");
    out_.text(6, "GC_.*|jackdaw::.*");
    static_assert(kSpace + 1 == kDropped);
    next_text_ = kDropped + 1;
    while (!maps.empty()) mapping(mapping_of(take_until(maps, '\n')));
    for (std::size_t i = 0; i < profile_.addresses().size(); ++i) location(i);
    out_.number(7, kDropped);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    out_.number(9, static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count()));
    value_type(11, kSpace, 4);
    out_.number(12, every);
    out_.number(14, 6);
    return out_.is_whole() && is_whole_;
  }

 private:
  // Calls `fill(ProtobufMessage&)` and writes what it put together.
  template <typename Fill>
  void message(std::uint32_t field, Fill fill) {
    message(out_, field, inner_, fill);
  }
  template <typename Fill>
  void message(ProtobufMessage& out, std::uint32_t field, base::PageVector<std::byte>& inner, Fill fill) {
    inner.clear();
    ProtobufMessage part(inner);
    fill(part);
    is_whole_ = is_whole_ && part.is_whole();
    out.text(field, inner.span());
  }
  void value_type(std::uint32_t field, std::uint64_t type, std::uint64_t unit) {
    message(field, [&](ProtobufMessage& part) {
      part.number(1, type);
      part.number(2, unit);
    });
  }
  // The number of an address is one more than its place among all.
  void sample(const AllocationSites::Site& site) {
    message(2, [&](ProtobufMessage& part) {
      message(part, 1, packed_, [&](ProtobufMessage& numbers) {
        for (const std::uint32_t place : profile_.places_of(site)) numbers.packed(std::uint64_t{place} + 1);
      });
      for (const double value : {site.objects, site.bytes, site.live_objects, site.live_bytes})
        part.number(2, rounded(value));
    });
  }
  void mapping(const Mapping& mapping) {
    if (mapping.path.empty()) return;
    if (!mappings_.append(mapping)) {
      is_whole_ = false;
      return;
    }
    out_.text(6, mapping.path);
    message(3, [&](ProtobufMessage& part) {
      part.number(1, mappings_.size());
      part.number(2, mapping.start);
      part.number(3, mapping.end);
      part.number(4, mapping.offset);
      part.number(5, next_text_++);
    });
  }
  void location(std::size_t index) {
    const std::uintptr_t address = profile_.addresses()[index];
    const auto* const mapping = std::find_if(mappings_.begin(), mappings_.end(), [&](const Mapping& one) {
      return one.start <= address && address < one.end;
    });
    message(4, [&](ProtobufMessage& part) {
      part.number(1, index + 1);
      if (mapping != mappings_.end())
        part.number(2, static_cast<std::uint64_t>(mapping - mappings_.begin()) + 1);
      part.number(3, address);
    });
  }

  const AllocationSites& profile_;
  ProtobufMessage out_;
  base::PageVector<std::byte> inner_;
  base::PageVector<std::byte> packed_;
  base::PageVector<Mapping> mappings_;
  std::uint64_t next_text_ = 0;
  bool is_whole_ = true;
};

}  // namespace

void read_memory_map(base::PageVector<char>& text) {
  constexpr std::size_t kPiece = std::size_t{16} << 10;
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  for (;;) {
    std::array<char, kPiece> piece;
    const ssize_t bytes = read(file, piece.data(), piece.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0 || !text.append_all(std::span(piece).first(static_cast<std::size_t>(bytes)))) break;
  }
  close(file);
}

bool encode_pprof(const AllocationSites& profile, std::uint64_t every, std::string_view maps,
                  base::PageVector<std::byte>& out) {
  return ProfileWriter(profile, out).write(every, maps);
}

}  // namespace jackdaw::gc
