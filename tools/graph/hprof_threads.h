// HprofThreads: the threads of a Java heap dump, with their names and stacks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/graph/graph.h"
#include "tools/graph/hprof_classes.h"
#include "tools/graph/hprof_records.h"
#include "tools/graph/hprof_strings.h"

namespace jackdaw::tools {

class HprofThreads {
 public:
  struct Thread {
    std::uint64_t identifier = 0;  ///< of its object
    NodeId object = kNullNode;     ///< in the graph
    std::uint32_t trace = 0;
    std::string name;  ///< empty: not known
  };

  void add_frame(const FrameDump& dump, HprofStrings& strings);
  /// Adds the next frame of a stack trace, the innermost first.
  void add_trace_frame(std::uint32_t serial, std::uint64_t frame);
  /// Adds the thread whose object is a root.
  void add_thread(const RootDump& dump);

  /// Returns all threads by serial numbers.
  [[nodiscard]] std::map<std::uint32_t, Thread>& all() { return threads_; }
  /// Returns the thread's name, or its serial number in words.
  [[nodiscard]] std::string name(std::uint32_t serial) const;
  /// Returns text such as "Leak.main (Leak.java:12)" for the frame at that depth of a thread's stack; empty
  /// where the dump does not have it. `with_class`: whether the text begins with the method's class.
  [[nodiscard]] std::string frame(std::uint32_t serial, std::uint32_t depth, const HprofClasses& classes,
                                  bool with_class) const;
  /// Returns an upper bound of the bytes that the tables take.
  [[nodiscard]] std::uint64_t table_bytes() const;

 private:
  struct Frame {
    HprofStrings::Number method = HprofStrings::kNone;
    HprofStrings::Number source = HprofStrings::kNone;
    std::uint32_t class_serial = 0;
    std::int32_t line = 0;
  };

  std::unordered_map<std::uint64_t, Frame> frames_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> traces_;
  std::uint64_t traced_frames_ = 0;
  std::map<std::uint32_t, Thread> threads_;
};

}  // namespace jackdaw::tools
