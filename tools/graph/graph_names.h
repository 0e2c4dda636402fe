// GraphNames: what a file calls the objects, references and roots of its graph.
#pragma once

#include <cstddef>
#include <string>

#include "tools/graph/graph.h"

namespace jackdaw::tools {

/// Belongs to the graph that it is a member of (Graph::names), which is passed to its functions. Any thread
/// may call them.
class GraphNames {
 public:
  GraphNames() = default;
  GraphNames(const GraphNames&) = delete;
  GraphNames& operator=(const GraphNames&) = delete;
  virtual ~GraphNames() = default;

  /// Returns a text that says more than the name of the object's type, such as "class Leak"; empty where the
  /// file has none.
  [[nodiscard]] virtual std::string of_object(const Graph& graph, NodeId object) const = 0;
  /// Returns the name of an object's slot, which the object has, such as ".next" or "static field
  /// Leak.cache"; empty where the file has none.
  [[nodiscard]] virtual std::string of_slot(const Graph& graph, NodeId object, std::size_t slot) const = 0;
  /// Returns the kind of place that a root lies in, such as "stack of thread main"; `root` counts
  /// Graph::roots.
  [[nodiscard]] virtual std::string group_of_root(std::size_t /*root*/) const { return "roots"; }
  /// Returns where in its group a root lies, such as "in the frame of Leak.main"; empty where the file does
  /// not say.
  [[nodiscard]] virtual std::string place_of_root(const Graph& /*graph*/, std::size_t /*root*/) const {
    return "";
  }
};

}  // namespace jackdaw::tools
