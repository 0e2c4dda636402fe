#include "gc/report/dump/heap_dump.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

#include "heap/checked_header.h"
#include "heap/chunk.h"
#include "heap/kind.h"

namespace jackdaw::gc {

namespace {

std::uintptr_t address_of(const void* place) { return reinterpret_cast<std::uintptr_t>(place); }

// Whether the instruction that ends at `code` is a call.
bool follows_call(const std::uint8_t* code) {
#if defined(__x86_64__)
  constexpr std::uint8_t kCallNear = 0xe8;
  constexpr std::uint8_t kCallThrough = 0xff;
  const auto is_indirect = [code](int bytes) {
    return code[-bytes] == kCallThrough && (code[1 - bytes] >> 3 & 7) == 2;
  };
  return code[-5] == kCallNear || is_indirect(2) || is_indirect(3) || is_indirect(6) || is_indirect(7);
#elif defined(__aarch64__)
  std::uint32_t instruction;
  std::memcpy(&instruction, code - sizeof instruction, sizeof instruction);
  return (instruction & 0xfc000000) == 0x94000000 || (instruction & 0xfffffc1f) == 0xd63f0000;
#else
  return true;
#endif
}

constexpr std::uintptr_t kLongestCall = 7;

}  // namespace

void HeapDump::write_program(std::uint64_t collection) {
  std::array<char, 4096> path;
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  out_.tag(DumpTag::program);
  out_.number(static_cast<std::uint64_t>(getppid()));
  out_.number(static_cast<std::uint64_t>(time(nullptr)));
  out_.number(collection);
  out_.text({path.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))});
}

void HeapDump::write_object_files() { dl_iterate_phdr(note_object_file, this); }

int HeapDump::note_object_file(dl_phdr_info* object, std::size_t, void* dump) {
  static_cast<HeapDump*>(dump)->write_object_file(*object);
  return 0;
}

void HeapDump::write_object_file(const dl_phdr_info& object) {
  out_.tag(DumpTag::object_file);
  out_.number(object.dlpi_addr);
  out_.text(object.dlpi_name != nullptr ? object.dlpi_name : "");
  for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    out_.number(segment.p_memsz);
    out_.number(begin);
    out_.number(segment.p_flags);
    if ((segment.p_flags & PF_X) != 0) add(code_, {begin, begin + segment.p_memsz});
  }
  out_.number(0);
}

void HeapDump::write_kinds() {
  const heap::KindTable& kinds = heap_.kinds();
  for (std::size_t i = 0; i < kinds.count(); ++i) {
    const heap::Kind& kind = kinds[static_cast<heap::KindNumber>(i)];
    out_.tag(DumpTag::kind);
    out_.number(i);
    out_.number(static_cast<std::uint64_t>(kind.contents));
    out_.number(kind.is_collectable ? 1 : 0);
    out_.number(has_types(kind) ? 1 : 0);
  }
}

void HeapDump::write_objects() {
  heap_.for_each_marked([this](heap::Object* object) { write_object(object); });
  if (block_ != 0) out_.number(0);
  write_types();
}

void HeapDump::write_calls(std::span<const std::uint32_t> places, std::span<const std::uintptr_t> addresses) {
  out_.tag(DumpTag::calls);
  out_.number(places.size());
  for (const std::uint32_t place : places) out_.number(addresses[place]);
}

void HeapDump::write_sample(const heap::Object* object, std::uint64_t calls) {
  if (live_object_at(heap_.map(), address_of(object)) != object) return;
  out_.tag(DumpTag::sample);
  out_.difference(last_target_, address_of(object));
  out_.number(calls);
  last_target_ = address_of(object);
}

HeapDump::Block HeapDump::block_of(const heap::Object* object) {
  heap::Chunk& chunk = *heap::Chunk::of(object);
  const std::size_t index = chunk.block_index(reinterpret_cast<const std::byte*>(object));
  const heap::BlockInfo& info = chunk.block(index);
  if (info.use == heap::BlockUse::large_head) return {address_of(object), info.large_bytes, 1};
  return {address_of(chunk.block_start(index - info.span_block)), info.slot_bytes, info.slots()};
}

// Objects are written block by block.
void HeapDump::begin_block(const Block& block, heap::KindNumber kind) {
  if (block_ != 0) out_.number(0);
  out_.tag(DumpTag::block);
  out_.difference(block_, block.start);
  out_.number(static_cast<std::uint64_t>(kind));
  out_.number(block.object_bytes);
  out_.number(block.objects);
  block_ = block.start;
  last_object_ = block.start - block.object_bytes;
}

void HeapDump::write_object(heap::Object* object) {
  const Block block = block_of(object);
  if (block.start != block_) begin_block(block, heap::Chunk::of(object)->kind_of(object));
  const std::uintptr_t start = address_of(object);
  const std::size_t bytes = block.object_bytes;
  out_.number((start - last_object_) / bytes);
  last_object_ = start;
  write_type_of(object);
  find_references(object);
  out_.number(references_.size());
  for (const Reference& reference : references_.span()) {
    out_.number(reference.word);
    out_.difference(last_target_, address_of(reference.object));
    out_.number(reference.offset);
    last_target_ = address_of(reference.object);
  }
  ++objects_;
  bytes_ += bytes;
  reference_count_ += references_.size();
}

bool HeapDump::has_types(const heap::Kind& kind) {
  return kind.is_checked || kind.layout == LayoutWord::traced().bits();
}

HeapDump::Type HeapDump::type_of(const heap::Object* object, const heap::Kind& kind) {
  if (!kind.is_checked) {
    const TraceDescriptor* const type = TraceDescriptor::of(object);
    return {address_of(type), type != nullptr ? type->name : nullptr, 0};
  }
  const auto& header = *reinterpret_cast<const heap::CheckedHeader*>(object);
  const heap::SourcePlace place =
      header.front_guard == heap::CheckedHeader::kFrontGuard ? header.place : heap::SourcePlace{};
  // Names of files have distinct addresses below 2^47, and lines are far below 2^16 times a name's length.
  constexpr std::uint64_t kAboveAddresses = std::uint64_t{1} << 63;
  const auto line = static_cast<std::uint64_t>(std::max(place.line, 0));
  return {kAboveAddresses | ((address_of(place.file) << 16) + line), place.file, std::max(place.line, 1)};
}

void HeapDump::write_type_of(const heap::Object* object) {
  const heap::Kind& kind = heap_.kinds()[heap::Chunk::of(object)->kind_of(object)];
  if (!has_types(kind)) return;
  const Type type = type_of(object, kind);
  out_.number(type.number);
  if (type.number != 0) note_type(type);
}

// Types are found by a binary search, as every object needs one.
void HeapDump::note_type(const Type& type) {
  const auto known = types_.span();
  const auto place = static_cast<std::size_t>(
      std::ranges::lower_bound(known, type.number, {}, &Type::number) - known.begin());
  if (place < known.size() && known[place].number == type.number) return;
  add(types_, type);
  if (failed_) return;
  for (std::size_t i = types_.size(); --i > place;) std::swap(types_[i], types_[i - 1]);
}

void HeapDump::write_types() {
  for (const Type& type : types_.span()) write_type(type);
}

void HeapDump::write_type(const Type& type) {
  out_.tag(DumpTag::type);
  out_.number(type.number);
  std::string_view name = type.name != nullptr ? type.name : "";
  if (type.line == 0) return out_.text(name);
  if (name.empty()) return out_.text("allocated with checks at an unknown place");
  // Readers keep the beginning of a name, so the end of a long path makes room for the line.
  constexpr std::size_t kMostOfPath = 200;
  name.remove_prefix(name.size() - std::min(name.size(), kMostOfPath));
  std::array<char, kMostOfPath + 16> text;
  char* end = std::ranges::copy(name, text.data()).out;
  *end++ = ':';
  end = std::to_chars(end, text.data() + text.size(), type.line).ptr;
  out_.text({text.data(), static_cast<std::size_t>(end - text.data())});
}

void HeapDump::Sink::reference(heap::Object* object) {
  const heap::Chunk& chunk = *heap::Chunk::of(object);
  // A free slot has its mark set, too.
  if (chunk.is_marked(object) && chunk.is_allocated(object))
    dump.add(dump.references_, {object, kDumpNoWord, 0});
}

// Finds the references that the marker finds, in its order.
void HeapDump::find_references(heap::Object* object) {
  references_.clear();
  if (HeapObjectModel::is_leaf(object)) return;
  Sink sink{*this};
  add(parts_, HeapObjectModel::task_of(object));
  while (parts_.size() != 0) model_.visit(parts_.take_last(), sink);
  std::uint64_t next_word = 0;
  for (std::size_t i = 0; i < references_.size(); ++i) find_word(object, references_[i], next_word);
}

// References mostly come in the order of their words.
void HeapDump::find_word(const heap::Object* object, Reference& reference, std::uint64_t& next_word) const {
  const heap::Word* const words = heap::words_at(object);
  const std::uint64_t count = heap::Heap::bytes_of(object) / heap::kWordBytes;
  const std::uintptr_t target = address_of(reference.object);
  const std::size_t bytes = heap::Heap::bytes_of(reference.object);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t word = (next_word + i) % count;
    if (words[word].bits - target >= bytes) continue;
    reference.word = word + 1;
    reference.offset = words[word].bits - target;
    next_word = word + 1;
    return;
  }
}

void HeapDump::begin_roots(DumpRoots where, pid_t thread, std::uintptr_t stack_end) {
  out_.tag(DumpTag::roots);
  out_.number(static_cast<std::uint64_t>(where));
  out_.number(static_cast<std::uint64_t>(thread));
  out_.number(stack_end);
}

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void HeapDump::add_words(heap::Words words,
                                                                               bool all_count) {
  for (const heap::Word& word : words) {
    const std::uintptr_t bits = word.bits;
    const heap::Object* const found =
        all_count ? heap::slot_at_any_word(heap_.map(), bits) : heap::slot_at_word(heap_.map(), bits);
    if (found != nullptr) add_object(address_of(&word), bits);
  }
}

void HeapDump::add_object(std::uintptr_t place, std::uintptr_t address) {
  const heap::Object* const object = live_object_at(heap_.map(), address);
  if (object == nullptr) return;
  out_.number(1);
  out_.difference(last_place_, place);
  out_.difference(last_target_, address_of(object));
  out_.number(address - address_of(object));
  last_place_ = place;
  last_target_ = address_of(object);
  ++roots_;
}

heap::Object* HeapDump::live_object_at(const heap::BlockMap& map, std::uintptr_t address) {
  heap::Object* const object = heap::slot_at_any_word(map, address);
  if (object == nullptr) return nullptr;
  const heap::Chunk& chunk = *heap::Chunk::of(object);
  return chunk.is_marked(object) && chunk.is_allocated(object) ? object : nullptr;
}

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void HeapDump::write_return_addresses(
    pid_t thread, heap::Words stack) {
  out_.tag(DumpTag::return_addresses);
  out_.number(static_cast<std::uint64_t>(thread));
  for (const heap::Word& word : stack) {
    const std::uintptr_t bits = word.bits;
    if (!is_return_address(bits)) continue;
    out_.number(bits);
    out_.difference(last_place_, address_of(&word));
    last_place_ = address_of(&word);
  }
  out_.number(0);
}

bool HeapDump::is_return_address(std::uintptr_t address) const {
  return std::ranges::any_of(code_.span(), [address](const base::AddressRange& range) {
    return range.begin + kLongestCall <= address && address < range.end &&
           follows_call(reinterpret_cast<const std::uint8_t*>(address));  // NOLINT(performance-no-int-to-ptr)
  });
}

bool HeapDump::write_end() {
  out_.tag(DumpTag::end);
  out_.number(objects_);
  out_.number(bytes_);
  out_.number(reference_count_);
  out_.number(roots_);
  return out_.end() && !failed_;
}

}  // namespace jackdaw::gc
