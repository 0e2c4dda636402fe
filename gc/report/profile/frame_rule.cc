#include "gc/report/profile/frame_rule.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace jackdaw::gc {

#ifdef __x86_64__

// The unwinder's function that finds the record of the function at an address. The last word of `found`
// becomes the function's begin.
[[gnu::weak]] extern const std::uint8_t* find_record(
    std::uintptr_t code, std::array<std::uintptr_t, 3>* found) asm("_Unwind_Find_FDE");

// The C library's function, which takes no lock. It is not looked up by dlsym(), which would end the message
// that the program's dlerror() has to give.
[[gnu::weak]] extern int find_object(void* address, void* object) asm("_dl_find_object");

namespace {

// DWARF 5, 6.4, has the records and their instructions; the Linux Standard Base, Core, 10.6, has what
// .eh_frame adds. These are the numbers of registers on x86-64.
constexpr std::uint64_t kFramePointer = 6;
constexpr std::uint64_t kStackPointer = 7;
constexpr std::uint64_t kReturnAddress = 16;

// Reads numbers, one behind the other.
struct Reader {
  const std::uint8_t* at;
  const std::uint8_t* end;

  /// A record begins with its length.
  static Reader of_record(const std::uint8_t* place) {
    Reader reader{place, nullptr};
    const std::uint64_t bytes = reader.fixed(4);
    reader.end = reader.at + bytes;
    return reader;
  }
  std::uint64_t fixed(std::size_t bytes) {
    std::uint64_t number = 0;
    std::memcpy(&number, at, bytes);
    at += bytes;
    return number;
  }
  std::int64_t distance() { return static_cast<std::int32_t>(fixed(4)); }
  /// A number in pieces of seven bits.
  std::uint64_t number() {
    std::uint64_t number = 0;
    std::uint64_t byte = 0x80;
    for (int shift = 0; (byte & 0x80) != 0; shift += 7) {
      byte = fixed(1);
      number |= (byte & 0x7f) << shift;
    }
    return number;
  }
  void skip_counted() {
    const std::uint64_t bytes = number();
    at += bytes;
  }
};

// The instructions for an address say which register the frame's end is counted from, the bytes between, and
// the words from the caller's frame pointer to there.
struct Row {
  std::uint64_t base = 0;
  std::uint64_t distance = 0;
  std::uint64_t saved = 0;
  bool is_outermost = false;

  [[nodiscard]] FrameRule rule() const {
    constexpr std::uint64_t kWord = sizeof(std::uintptr_t);
    using Base = FrameRule::Base;
    if (is_outermost) return {Base::outermost};
    if ((base != kStackPointer && base != kFramePointer) || distance % kWord != 0 ||
        distance / kWord > FrameRule::kMostWords || saved > FrameRule::kMostSaved)
      return {};
    return {base == kStackPointer ? Base::stack_pointer : Base::frame_pointer, saved, distance / kWord};
  }
};

// Follows the instructions of a function up to those for addresses behind a given one.
class RowFinder {
 public:
  /// `bytes`: from the function's begin to the address.
  explicit RowFinder(std::uint64_t bytes) : left_(static_cast<std::int64_t>(bytes)) {}

  /// Returns false at an instruction that no rule can stand for.
  bool follow(Reader in) {
    while (in.at < in.end && left_ >= 0) {
      if (!follow_one(in)) return false;
    }
    return true;
  }
  [[nodiscard]] FrameRule rule() const { return row_.rule(); }

 private:
  bool follow_one(Reader& in) {
    const std::uint64_t instruction = in.fixed(1);
    const std::uint64_t operand = instruction & 0x3f;
    switch (instruction & 0xc0) {
      case 0x40:  // advance_loc
        left_ -= static_cast<std::int64_t>(operand);
        return true;
      case 0x80:  // offset
        return save(operand, in.number());
      case 0xc0:  // restore
        return save(operand, 0);
      default:
        return follow_other(instruction, in);
    }
  }
  bool save(std::uint64_t of, std::uint64_t words) {
    if (of == kFramePointer) row_.saved = words;
    return of != kStackPointer && (of != kReturnAddress || words == 1);
  }
  bool follow_other(std::uint64_t instruction, Reader& in) {
    switch (instruction) {
      case 0x00:  // nop
        return true;
      case 0x02:  // advance_loc1, advance_loc2, advance_loc4
      case 0x03:
      case 0x04:
        left_ -= static_cast<std::int64_t>(in.fixed(std::size_t{1} << (instruction - 2)));
        return true;
      case 0x07:  // undefined
        row_.is_outermost = in.number() == kReturnAddress || row_.is_outermost;
        return true;
      case 0x0a:  // remember_state
        if (depth_ == remembered_.size()) return false;
        remembered_[depth_++] = row_;
        return true;
      case 0x0b:  // restore_state
        if (depth_ == 0) return false;
        row_ = remembered_[--depth_];
        return true;
      case 0x0c:  // def_cfa, def_cfa_register
      case 0x0d:
        row_.base = in.number();
        if (instruction == 0x0c) row_.distance = in.number();
        return true;
      case 0x0e:  // def_cfa_offset
        row_.distance = in.number();
        return true;
      case 0x2e:  // GNU_args_size
        in.number();
        return true;
      default:
        return false;
    }
  }

  Row row_;
  std::array<Row, 4> remembered_;
  std::size_t depth_ = 0;
  std::int64_t left_;  // bytes to the address; negative behind it
};

// Goes to the instructions that functions have in common. Returns false where units, the return address's
// register, or how a function's begin is told are not what compilers choose, and in the frame of a signal.
bool go_to_instructions(Reader& common) {
  constexpr std::uint64_t kVersion = 1;
  constexpr std::uint64_t kUnits = 0x7801;     // one byte of code, minus eight bytes of data
  constexpr std::uint8_t kDistanceOf4 = 0x1b;  // a signed distance, in four bytes
  if (common.fixed(4) != 0 || common.fixed(1) != kVersion) return false;
  const std::string_view augmentation(reinterpret_cast<const char*>(common.at));
  common.at += augmentation.size() + 1;
  if (!augmentation.starts_with('z') || !augmentation.ends_with('R')) return false;
  if (common.fixed(2) != kUnits || common.fixed(1) != kReturnAddress) return false;
  common.skip_counted();
  return common.at[-1] == kDistanceOf4;
}

// Returns whether an address is in a program or library that is loaded; false where glibc is older than 2.35.
bool is_loaded(std::uintptr_t code) {
  std::array<std::uint64_t, 12> object;  // a struct dl_find_object
  return find_object != nullptr &&
         find_object(reinterpret_cast<void*>(code), &object) == 0;  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

// The rule of code that is no loaded object's might not last.
FrameRule find_frame_rule(std::uintptr_t code) {
  if (find_record == nullptr || !is_loaded(code)) return {};
  std::array<std::uintptr_t, 3> found{};
  const std::uint8_t* const record = find_record(code, &found);
  if (record == nullptr) return {};
  Reader own = Reader::of_record(record);
  const std::uint8_t* const back_from = own.at;
  Reader common = Reader::of_record(back_from - own.distance());
  // The function's begin is told by its distance from here, in four bytes, as is its length.
  const std::uint8_t* const here = own.at;
  if (reinterpret_cast<std::uintptr_t>(here + own.distance()) != found.back()) return {};
  own.at += 4;
  own.skip_counted();
  RowFinder finder(code - found.back());
  const bool is_whole = go_to_instructions(common) && finder.follow(common) && finder.follow(own);
  return is_whole ? finder.rule() : FrameRule{};
}

#else

FrameRule find_frame_rule(std::uintptr_t /*code*/) { return {}; }

#endif

}  // namespace jackdaw::gc
