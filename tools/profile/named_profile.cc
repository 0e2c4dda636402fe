#include "tools/profile/named_profile.h"

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "base/page_vector.h"
#include "gc/report/profile/protobuf_message.h"
#include "tools/profile/code_places.h"

namespace jackdaw::tools {

namespace {

// Writes the parts of a Profile. The numbers of fields are those of profile.proto.
class NamedProfileWriter {
 public:
  explicit NamedProfileWriter(const ProfileFile& profile) : profile_(profile), places_(profile) {}

  std::span<const std::byte> write() {
    text_number("");
    for (const auto& [type, unit] :
         std::initializer_list<std::pair<const char*, const char*>>{{"alloc_objects", "count"},
                                                                    {"alloc_space", "bytes"},
                                                                    {"inuse_objects", "count"},
                                                                    {"inuse_space", "bytes"}})
      value_type(1, type, unit);
    for (const ProfileFile::Sample& sample : profile_.samples) write_sample(sample);
    value_type(11, "space", "bytes");
    out_.number(12, profile_.every);
    out_.number(14, text_number("inuse_space"));
    if (!is_whole_ || !out_.is_whole()) throw std::bad_alloc();
    return bytes_.span();
  }

 private:
  // Calls `fill(message)` and writes what it put together, whose texts and messages are written before.
  template <typename Fill>
  void message(std::uint32_t field, Fill fill) {
    base::PageVector<std::byte> inner;
    gc::ProtobufMessage part(inner);
    fill(part);
    is_whole_ = is_whole_ && part.is_whole();
    out_.text(field, inner.span());
  }
  // Returns the number of a text, which is written if it is new.
  std::uint64_t text_number(const std::string& text) {
    const auto [place, is_new] = texts_.try_emplace(text, texts_.size());
    if (is_new) out_.text(6, text);
    return place->second;
  }
  void value_type(std::uint32_t field, const char* type, const char* unit) {
    message(field, [&](gc::ProtobufMessage& part) {
      part.number(1, text_number(type));
      part.number(2, text_number(unit));
    });
  }
  void write_sample(const ProfileFile::Sample& sample) {
    message(2, [&](gc::ProtobufMessage& part) {
      for (const std::uint64_t address : sample.addresses) part.number(1, location_number(address));
      for (const std::uint64_t value : {sample.objects, sample.bytes, sample.live_objects, sample.live_bytes})
        part.number(2, value);
    });
  }
  // Returns the number of an address, which is written if it is new.
  std::uint64_t location_number(std::uint64_t address) {
    const auto [place, is_new] = locations_.try_emplace(address, locations_.size() + 1);
    if (!is_new) return place->second;
    const std::string line = places_.line_at(address);
    const std::size_t colon = line.rfind(':');
    const std::uint64_t function = function_number(
        places_.function_at(address), colon == std::string::npos ? std::string() : line.substr(0, colon));
    base::PageVector<std::byte> inner;
    gc::ProtobufMessage line_part(inner);
    line_part.number(1, function);
    if (colon != std::string::npos) line_part.number(2, std::strtoul(line.c_str() + colon + 1, nullptr, 10));
    is_whole_ = is_whole_ && line_part.is_whole();
    message(4, [&](gc::ProtobufMessage& part) {
      part.number(1, locations_.size());
      part.number(3, address);
      part.text(4, inner.span());
    });
    return locations_.size();
  }
  std::uint64_t function_number(const std::string& name, const std::string& file) {
    const auto [place, is_new] = functions_.try_emplace({name, file}, functions_.size() + 1);
    if (is_new) {
      message(5, [&](gc::ProtobufMessage& part) {
        part.number(1, functions_.size());
        part.number(2, text_number(name));
        part.number(4, text_number(file));
      });
    }
    return place->second;
  }

  const ProfileFile& profile_;
  CodePlaces places_;
  base::PageVector<std::byte> bytes_;
  gc::ProtobufMessage out_{bytes_};
  bool is_whole_ = true;
  std::map<std::string, std::uint64_t> texts_;
  std::map<std::uint64_t, std::uint64_t> locations_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> functions_;
};

std::string compressed(std::span<const std::byte> bytes) {
  constexpr int kGzip = 16;  // added to the bits of zlib's window
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  // zlib does not change its input, but has no type that says so.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));  // NOLINT(*-const-cast)
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

std::string named_profile(const ProfileFile& profile) {
  return compressed(NamedProfileWriter(profile).write());
}

}  // namespace jackdaw::tools
