#include "tools/graph/dump_records.h"

#include <fmt/format.h>

#include "heap/layout.h"
#include "heap/object.h"
#include "heap/size_classes.h"
#include "heap/span_sizes.h"

namespace jackdaw::tools {

namespace {

// Addresses of programs are lower.
constexpr std::uint64_t kAddressLimit = std::uint64_t{1} << 48;
constexpr std::uint64_t kMostText = 65536;
constexpr std::uint64_t kMostThreads = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostSegments = 1024;
constexpr std::uint64_t kMostCalls = 1024;
constexpr std::uint64_t kGranule = 16;
constexpr std::uint64_t kLongestSpan =
    heap::SpanSizes::blocks(heap::SpanSizes::kMostQuarters) * heap::kBlockBytes;

}  // namespace

DumpRecords::DumpRecords(ByteSource& source, Progress& progress) : source_(source), progress_(progress) {
  bool is_dump = true;
  for (std::size_t i = 0; i < gc::kDumpMagic.size() && is_dump; ++i)
    is_dump = !source.at_end() && source.read_u1() == static_cast<std::uint8_t>(gc::kDumpMagic[i]);
  if (!is_dump) source.fail(0, "not one of Jackdaw's heap dumps; must begin with JDHEAP1");
}

std::uint64_t DumpRecords::read_bounded(std::uint64_t most, const char* what) {
  const std::uint64_t at = source_.offset();
  const std::uint64_t number = source_.read_varint(what);
  if (number > most) source_.fail(at, fmt::format("{} {} is above {}", what, number, most));
  return number;
}

std::string DumpRecords::read_string(const char* what) {
  return source_.read_text(read_bounded(kMostText, what));
}

// Reads a number that is given by its difference from the last one.
std::uint64_t DumpRecords::read_address_from(std::uint64_t& last, const char* what) {
  const std::uint64_t at = source_.offset();
  const std::uint64_t coded = source_.read_varint(what);
  const std::uint64_t address = last + ((coded >> 1) ^ (0 - (coded & 1)));
  if (address >= kAddressLimit) source_.fail(at, fmt::format("{} {:#x} is no address", what, address));
  return last = address;
}

void DumpRecords::visit_all(DumpVisitor& visitor) {
  source_.rewind();
  source_.skip(gc::kDumpMagic.size());
  kind_count_ = calls_count_ = last_block_ = last_target_ = last_place_ = 0;
  totals_ = {};
  read_program(visitor);
  for (;;) {
    progress_.update(source_.file_bytes_taken(), source_.file_bytes());
    const std::uint64_t at = source_.offset();
    switch (static_cast<gc::DumpTag>(source_.read_u1())) {
      case gc::DumpTag::object_file:
        read_object_file(visitor);
        break;
      case gc::DumpTag::kind:
        read_kind();
        break;
      case gc::DumpTag::type:
        read_type(visitor);
        break;
      case gc::DumpTag::block:
        read_block(visitor);
        break;
      case gc::DumpTag::calls:
        read_calls(visitor);
        break;
      case gc::DumpTag::sample:
        read_sample(visitor);
        break;
      case gc::DumpTag::roots:
        read_roots(visitor);
        break;
      case gc::DumpTag::return_addresses:
        read_return_addresses(visitor);
        break;
      case gc::DumpTag::end:
        return read_end();
      default:
        source_.fail(at, "no record begins like this; must be one of the letters M, K, T, B, C, S, R, A, E");
    }
  }
}

void DumpRecords::read_program(DumpVisitor& visitor) {
  const std::uint64_t at = source_.offset();
  if (source_.read_u1() != static_cast<std::uint8_t>(gc::DumpTag::program))
    source_.fail(at, "the first record must be P, which tells the program");
  DumpedProgram program;
  program.process = source_.read_varint("the process's number");
  program.seconds = source_.read_varint("the time");
  program.collection = source_.read_varint("the collection's number");
  program.path = read_string("the length of the program's name");
  visitor.visit_program(program);
}

void DumpRecords::read_object_file(DumpVisitor& visitor) {
  DumpedObjectFile file;
  file.load_bias = source_.read_varint("a load bias");
  file.path = read_string("the length of a file's name");
  while (const std::uint64_t bytes = read_bounded(kAddressLimit, "the size of a segment")) {
    if (file.segments.size() == kMostSegments)
      source_.fail(source_.offset(), fmt::format("more than {} segments", kMostSegments));
    const std::uint64_t address = read_bounded(kAddressLimit, "the address of a segment");
    file.segments.push_back({bytes, address, (source_.read_varint("the flags of a segment") & 1) != 0});
  }
  visitor.visit_object_file(file);
}

void DumpRecords::read_kind() {
  const std::uint64_t at = source_.offset();
  if (source_.read_varint("the number of a kind") != kind_count_ || kind_count_ == kinds_.size())
    source_.fail(at, fmt::format("kinds must be numbered from 0 to {} in order", kinds_.size() - 1));
  DumpedKind& kind = kinds_[kind_count_++];
  kind.contents =
      static_cast<heap::Contents>(read_bounded(heap::kContentsCount - 1, "the contents of a kind"));
  kind.is_collectable = read_bounded(1, "whether objects of a kind are collected") != 0;
  kind.has_types = read_bounded(1, "whether objects of a kind have types") != 0;
}

void DumpRecords::read_type(DumpVisitor& visitor) {
  const std::uint64_t type = source_.read_varint("a type");
  visitor.visit_type(type, read_string("the length of a type's name"));
}

void DumpRecords::read_block(DumpVisitor& visitor) {
  const std::uint64_t at = source_.offset();
  DumpedBlock block;
  block.address = read_address_from(last_block_, "the address of a block");
  block.kind = source_.read_varint("the number of a kind");
  if (block.kind >= kind_count_) source_.fail(at, "a block of a kind that no record told");
  block.object_bytes = read_bounded(kAddressLimit, "the size of a block's objects");
  block.slots = read_bounded(kAddressLimit, "the number of a block's objects");
  if (block.object_bytes < kGranule || block.slots == 0 ||
      block.slots > (kAddressLimit - block.address) / block.object_bytes)
    source_.fail(at, "a block without objects, or beyond all addresses");
  // Free slots between live objects take memory although they take no bytes of the file.
  const std::uint64_t most = block.object_bytes > heap::kLargestSmallBytes ? kLongestSpan : heap::kBlockBytes;
  if (block.slots > 1 && block.slots * block.object_bytes > most)
    source_.fail(at, fmt::format("a block of {} objects of {} bytes; must have {} bytes at most", block.slots,
                                 block.object_bytes, most));
  const DumpedKind& kind = kinds_[block.kind];
  visitor.begin_block(block, kind);
  std::uint64_t slot = 0;  // plus 1
  while (const std::uint64_t distance = read_bounded(block.slots - slot, "the distance between two objects"))
    read_object(visitor, block, kind, (slot += distance) - 1);
  visitor.end_block();
}

void DumpRecords::read_object(DumpVisitor& visitor, const DumpedBlock& block, const DumpedKind& kind,
                              std::uint64_t slot) {
  DumpedObject object;
  object.offset = source_.offset();
  object.address = block.address + slot * block.object_bytes;
  object.bytes = block.object_bytes;
  if (kind.has_types) object.type = source_.read_varint("the type of an object");
  visitor.begin_object(object);
  const std::uint64_t references = source_.read_varint("the number of an object's references");
  for (std::uint64_t i = 0; i < references; ++i) {
    DumpedReference reference;
    reference.word = read_bounded(object.bytes / heap::kWordBytes, "the word of a reference");
    reference.target = read_address_from(last_target_, "a reference");
    reference.interior = source_.read_varint("the place in an object that a reference leads to");
    visitor.visit_reference(reference);
  }
  visitor.end_object();
  ++totals_.objects;
  totals_.bytes += object.bytes;
  totals_.references += references;
}

void DumpRecords::read_calls(DumpVisitor& visitor) {
  std::vector<std::uint64_t> addresses(read_bounded(kMostCalls, "the number of calls"));
  for (std::uint64_t& address : addresses) address = read_bounded(kAddressLimit, "the address of a call");
  visitor.visit_calls(addresses);
  ++calls_count_;
}

void DumpRecords::read_sample(DumpVisitor& visitor) {
  DumpedSample sample;
  sample.offset = source_.offset();
  sample.object = read_address_from(last_target_, "a sample");
  sample.calls = source_.read_varint("the number of the calls that allocated an object");
  if (sample.calls >= calls_count_) source_.fail(sample.offset, "an object of calls that no record told");
  visitor.visit_sample(sample);
}

void DumpRecords::read_roots(DumpVisitor& visitor) {
  DumpedRoots roots;
  roots.where = static_cast<gc::DumpRoots>(read_bounded(gc::kDumpRootsKinds - 1, "the kind of roots"));
  roots.thread = read_bounded(kMostThreads, "the number of a thread");
  roots.stack_end = read_bounded(kAddressLimit, "the end of a stack");
  visitor.begin_roots(roots);
  while (read_bounded(1, "whether a root follows") != 0) {
    DumpedRoot root;
    root.offset = source_.offset();
    root.place = read_address_from(last_place_, "the place of a root");
    root.target = read_address_from(last_target_, "a root");
    root.interior = source_.read_varint("the place in an object that a root leads to");
    visitor.visit_root(root);
    ++totals_.roots;
  }
}

void DumpRecords::read_return_addresses(DumpVisitor& visitor) {
  const std::uint64_t thread = read_bounded(kMostThreads, "the number of a thread");
  while (const std::uint64_t address = read_bounded(kAddressLimit, "a return address"))
    visitor.visit_return_address(thread, read_address_from(last_place_, "the place of a return address"),
                                 address);
}

void DumpRecords::read_end() {
  const std::uint64_t at = source_.offset();
  DumpTotals told;
  told.objects = source_.read_varint("the number of objects");
  told.bytes = source_.read_varint("the bytes of all objects");
  told.references = source_.read_varint("the number of references");
  told.roots = source_.read_varint("the number of roots");
  if (told != totals_) {
    source_.fail(at, fmt::format("the last record tells of {} objects, {} references and {} roots, but there "
                                 "are {}, {} and {}",
                                 told.objects, told.references, told.roots, totals_.objects,
                                 totals_.references, totals_.roots));
  }
  if (!source_.at_end()) source_.fail(source_.offset(), "something follows the last record; must be the end");
}

}  // namespace jackdaw::tools
