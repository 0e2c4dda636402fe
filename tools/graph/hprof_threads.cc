#include "tools/graph/hprof_threads.h"

#include <fmt/format.h>

namespace jackdaw::tools {

void HprofThreads::add_frame(const FrameDump& dump, HprofStrings& strings) {
  frames_[dump.identifier] = {strings.want(dump.method), strings.want(dump.source), dump.class_serial,
                              dump.line};
}

void HprofThreads::add_trace_frame(std::uint32_t serial, std::uint64_t frame) {
  traces_[serial].push_back(frame);
  ++traced_frames_;
}

void HprofThreads::add_thread(const RootDump& dump) {
  Thread& thread = threads_[dump.thread];
  thread.identifier = dump.identifier;
  thread.trace = dump.frame;
}

std::string HprofThreads::name(std::uint32_t serial) const {
  const auto thread = threads_.find(serial);
  if (thread != threads_.end() && !thread->second.name.empty()) return thread->second.name;
  return fmt::format("number {}", serial);
}

std::string HprofThreads::frame(std::uint32_t serial, std::uint32_t depth, const HprofClasses& classes,
                                bool with_class) const {
  const auto thread = threads_.find(serial);
  if (thread == threads_.end()) return "";
  const auto trace = traces_.find(thread->second.trace);
  if (trace == traces_.end() || depth >= trace->second.size()) return "";
  const auto found = frames_.find(trace->second[depth]);
  if (found == frames_.end()) return "";
  const Frame& frame = found->second;
  std::string text = classes.text(frame.method);
  const HprofClasses::ClassNumber number = classes.with_serial(frame.class_serial);
  if (with_class && number != IdentifierIndex::kAbsent)
    text = fmt::format("{}.{}", classes.name(number), text);
  const std::string source = classes.text(frame.source);
  if (source.empty()) return text;
  return frame.line > 0 ? fmt::format("{} ({}:{})", text, source, frame.line)
                        : fmt::format("{} ({})", text, source);
}

std::uint64_t HprofThreads::table_bytes() const {
  // The nodes of maps, with what malloc adds, are below 150 bytes.
  constexpr std::uint64_t kPerNode = 150;
  return (frames_.size() + traces_.size() + threads_.size()) * kPerNode +
         traced_frames_ * 3 * sizeof(std::uint64_t);  // a vector that grows has two buffers
}

}  // namespace jackdaw::tools
