// Makes heap dumps of Jackdaw's format byte by byte, good and bad ones.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gc/report/dump/dump_format.h"
#include "tests/tools/graph/bytes.h"

namespace jackdaw::tools {

/// Functions append and return the builder. Addresses are given as such; their differences are worked out.
class DumpBuilder {
 public:
  explicit DumpBuilder(std::string_view magic = gc::kDumpMagic) {
    for (const char letter : magic) byte(static_cast<std::uint8_t>(letter));
  }

  DumpBuilder& byte(std::uint8_t value) {
    bytes_.push_back(value);
    return *this;
  }
  DumpBuilder& number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    return byte(static_cast<std::uint8_t>(value));
  }
  DumpBuilder& text(std::string_view text) {
    number(text.size());
    for (const char letter : text) byte(static_cast<std::uint8_t>(letter));
    return *this;
  }
  DumpBuilder& tag(gc::DumpTag tag) { return byte(static_cast<std::uint8_t>(tag)); }

  DumpBuilder& program() {
    return tag(gc::DumpTag::program).number(7).number(1'700'000'000).number(3).text("/p");
  }
  DumpBuilder& kind(std::uint64_t number_of_kind, std::uint64_t contents, bool is_collectable = true,
                    bool has_types = false) {
    tag(gc::DumpTag::kind).number(number_of_kind).number(contents);
    return number(is_collectable ? 1 : 0).number(has_types ? 1 : 0);
  }
  /// Words, data, uncollectable words, and one with types.
  DumpBuilder& kinds() { return kind(0, 2).kind(1, 1).kind(2, 2, false).kind(3, 3, true, true); }
  DumpBuilder& block(std::uint64_t address, std::uint64_t kind, std::uint64_t bytes, std::uint64_t slots) {
    return tag(gc::DumpTag::block).from(last_block_, address).number(kind).number(bytes).number(slots);
  }
  /// Adds an object `distance` slots behind the one before.
  DumpBuilder& object(std::uint64_t distance, std::uint64_t references) {
    ++objects_;
    references_ += references;
    return number(distance).number(references);
  }
  DumpBuilder& typed_object(std::uint64_t distance, std::uint64_t type, std::uint64_t references) {
    ++objects_;
    references_ += references;
    return number(distance).number(type).number(references);
  }
  DumpBuilder& unplaced_reference(std::uint64_t target) {
    return number(0).from(last_target_, target).number(0);
  }
  DumpBuilder& reference(std::uint64_t word, std::uint64_t target, std::uint64_t interior = 0) {
    return number(word + 1).from(last_target_, target).number(interior);
  }
  DumpBuilder& end_list() { return number(0); }
  DumpBuilder& roots(gc::DumpRoots where, std::uint64_t thread = 0, std::uint64_t stack_end = 0) {
    return tag(gc::DumpTag::roots).number(static_cast<std::uint64_t>(where)).number(thread).number(stack_end);
  }
  DumpBuilder& root(std::uint64_t place, std::uint64_t target, std::uint64_t interior = 0) {
    ++roots_;
    return number(1).from(last_place_, place).from(last_target_, target).number(interior);
  }
  DumpBuilder& calls(const std::vector<std::uint64_t>& addresses) {
    tag(gc::DumpTag::calls).number(addresses.size());
    for (const std::uint64_t address : addresses) number(address);
    return *this;
  }
  DumpBuilder& sample(std::uint64_t object, std::uint64_t calls) {
    return tag(gc::DumpTag::sample).from(last_target_, object).number(calls);
  }
  /// `bytes`: of all objects.
  DumpBuilder& end(std::uint64_t bytes) {
    return tag(gc::DumpTag::end).number(objects_).number(bytes).number(references_).number(roots_);
  }

  [[nodiscard]] std::size_t offset() const { return bytes_.size(); }
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  DumpBuilder& from(std::uint64_t& last, std::uint64_t now) {
    const auto difference = static_cast<std::int64_t>(now - last);
    last = now;
    return number((static_cast<std::uint64_t>(difference) << 1) ^
                  static_cast<std::uint64_t>(difference >> 63));
  }

  Bytes bytes_;
  std::uint64_t last_block_ = 0;
  std::uint64_t last_target_ = 0;
  std::uint64_t last_place_ = 0;
  std::uint64_t objects_ = 0;
  std::uint64_t references_ = 0;
  std::uint64_t roots_ = 0;
};

/// A dump with a bit of everything: a block of three objects in five slots, one of data, a large object and
/// one that is not collected.
inline DumpBuilder small_dump() {
  DumpBuilder dump;
  dump.program()
      .tag(gc::DumpTag::object_file)
      .number(0x1000)
      .text("/lib")
      .number(4096)
      .number(0x2000)
      .number(5);
  dump.end_list().kinds();
  dump.block(0x10000, 0, 32, 5).object(1, 2).reference(0, 0x10060).reference(3, 0x14000, 8);
  dump.object(2, 0).object(1, 1).reference(1, 0x10000).end_list();
  dump.block(0x14000, 1, 64, 2).object(1, 0).end_list();
  dump.block(0x18000, 3, 4096, 1).typed_object(1, 0x99, 1).unplaced_reference(0x1c010).end_list();
  dump.block(0x1c000, 2, 16, 2).object(2, 0).end_list();
  dump.tag(gc::DumpTag::type).number(0x99).text("Node");
  dump.calls({}).calls({0x2010, 0x2020}).sample(0x18000, 1);
  dump.roots(gc::DumpRoots::stack, 7, 0x9000).root(0x8000, 0x10000, 4).root(0x8010, 0x18000).end_list();
  dump.tag(gc::DumpTag::return_addresses).number(7).number(0x2010).number(0).end_list();
  dump.end(3 * 32 + 64 + 4096 + 16);
  return dump;
}

}  // namespace jackdaw::tools
