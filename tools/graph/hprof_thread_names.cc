#include "tools/graph/hprof_thread_names.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "tools/command/printable_name.h"

namespace jackdaw::tools {

namespace {

constexpr std::uint8_t kCharType = 5;
constexpr std::uint8_t kByteType = 8;

using Threads = std::unordered_multimap<std::uint64_t, HprofThreads::Thread*>;  // by their names' arrays

void append_utf8(unsigned letter, std::string& text) {
  if (letter < 0x80) {
    text += static_cast<char>(letter);
  } else if (letter < 0x800) {
    text += static_cast<char>(0xc0 | letter >> 6);
    text += static_cast<char>(0x80 | (letter & 0x3f));
  } else {
    text += static_cast<char>(0xe0 | letter >> 12);
    text += static_cast<char>(0x80 | (letter >> 6 & 0x3f));
    text += static_cast<char>(0x80 | (letter & 0x3f));
  }
}

unsigned byte_at(const std::string& bytes, std::size_t place) {
  return static_cast<unsigned char>(bytes[place]);
}

/// Returns UTF-8 for a string's array: UTF-16 in the file's byte order, or bytes that are Latin-1 or, which
/// a zero byte among them shows, UTF-16 in the byte order of the program's machine.
std::string text_of(const std::string& bytes, std::uint8_t type) {
  std::string text;
  if (type == kByteType && bytes.find('\0') == std::string::npos) {
    for (std::size_t i = 0; i < bytes.size(); ++i) append_utf8(byte_at(bytes, i), text);
    return text;
  }
  const unsigned high = type == kByteType ? 1 : 0;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    append_utf8(byte_at(bytes, i + high) << 8 | byte_at(bytes, i + 1 - high), text);
  return text;
}

class ThreadNamePass final : public HprofVisitor {
 public:
  ThreadNamePass(ByteSource& source, Threads& threads) : source_(source), threads_(threads) {}

  void visit_primitive_array(const PrimitiveArrayDump& dump) override {
    const auto [first, end] = threads_.equal_range(dump.identifier);
    if (first == end || !dump.has_data || (dump.type != kCharType && dump.type != kByteType)) return;
    constexpr std::uint64_t kMostBytes = 2 * kLongestName;
    const std::string bytes = source_.read_text(std::min(dump.data_bytes, kMostBytes));
    for (auto thread = first; thread != end; ++thread)
      thread->second->name = name_to_keep(text_of(bytes, dump.type));
    threads_.erase(first, end);
  }
  [[nodiscard]] bool is_done() const override { return threads_.empty(); }

 private:
  ByteSource& source_;
  Threads& threads_;
};

}  // namespace

void read_thread_names(HprofRecords& records, const Graph& graph, HprofNames& names) {
  const HprofTypes types(true);
  const auto is_text = [&](NodeId node) {
    const TypeId type = graph.type_id_of(node);
    return type == types.primitive_array(kCharType) || type == types.primitive_array(kByteType);
  };
  Threads threads;
  for (auto& [serial, thread] : names.threads().all()) {
    if (thread.object == kNullNode) continue;
    // Java 7 and older have an array there instead of a string.
    NodeId name = names.field_of(graph, thread.object, "name");
    if (name != kNullNode && !is_text(name)) name = names.field_of(graph, name, "value");
    if (name != kNullNode && is_text(name)) threads.emplace(graph.identifiers[name], &thread);
  }
  ThreadNamePass pass(records.source(), threads);
  if (!pass.is_done()) records.visit_all(pass);
}

}  // namespace jackdaw::tools
