// HprofNames: the names of classes, fields and roots in a Java heap dump.
//
// Dumps that Jackdaw wrote itself (tools/heap/hprof_writer.h) have arrays for objects of all types, and
// classes for places of roots; their names are turned back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/graph/graph_names.h"
#include "tools/graph/hprof_classes.h"
#include "tools/graph/hprof_records.h"
#include "tools/graph/hprof_threads.h"
#include "tools/graph/hprof_types.h"

namespace jackdaw::tools {

/// A class object has these slots before its static fields: super, loader, signers and protection domain.
inline constexpr std::uint64_t kFixedClassSlots = 4;

class HprofNames final : public GraphNames {
 public:
  /// `is_ours`: Jackdaw wrote the dump.
  HprofNames(HprofClasses classes, HprofThreads threads, bool is_ours)
      : classes_(std::move(classes)), threads_(std::move(threads)), is_ours_(is_ours) {}

  /// Adds the graph's next root.
  void add_root(const RootDump& dump) { roots_.push_back({dump.kind, dump.thread, dump.frame}); }
  /// Adds a root that is a static field of the class with this identifier.
  void add_static_field(std::uint64_t class_identifier, std::uint32_t field) {
    roots_.push_back({HprofRoot::sticky_class, classes_.number_of(class_identifier), field});
  }

  /// Returns the name of a type of HprofTypes.
  [[nodiscard]] std::string of_type(TypeId type) const;
  [[nodiscard]] std::string of_object(const Graph& graph, NodeId object) const override;
  [[nodiscard]] std::string of_slot(const Graph& graph, NodeId object, std::size_t slot) const override;
  [[nodiscard]] std::string group_of_root(std::size_t root) const override;
  [[nodiscard]] std::string place_of_root(const Graph& graph, std::size_t root) const override;

  [[nodiscard]] HprofThreads& threads() { return threads_; }
  /// Returns what the slot called `field` of an instance, or of its supers, refers to; kNullNode where there
  /// is none.
  [[nodiscard]] NodeId field_of(const Graph& graph, NodeId object, std::string_view field) const;

 private:
  struct Root {
    HprofRoot kind;
    std::uint32_t thread;  // or the class of a static field
    std::uint32_t frame;   // or the field
  };

  // Jackdaw's names are no Java, so nothing in them stands for anything else.
  [[nodiscard]] std::string class_name(HprofClasses::ClassNumber number) const {
    return is_ours_ ? classes_.internal_name(number) : classes_.name(number);
  }
  [[nodiscard]] HprofClasses::ClassNumber class_at(const Graph& graph, NodeId object) const {
    return classes_.number_of(graph.identifiers[object]);
  }

  HprofTypes types_{true};
  HprofClasses classes_;
  HprofThreads threads_;
  bool is_ours_;
  std::vector<Root> roots_;
};

}  // namespace jackdaw::tools
