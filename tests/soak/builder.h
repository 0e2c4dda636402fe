// Builder: makes graphs, real and in the model.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/soak/graph.h"
#include "tests/soak/random.h"

namespace jackdaw::soak {

/// One thread's.
class Builder {
 public:
  explicit Builder(Random& random) : random_(random) {}

  /// A new graph; some of its edges lead to those of `older` that are not too deep. Empty when there was no
  /// memory. It has a finalizer or not, as chance will have it, unless `may_be_finalized` is false.
  Held build(const std::vector<Held>& older, bool may_be_finalized = true);

 private:
  Node* new_node_by_chance(std::uint32_t edge_count);
  std::uint32_t edge_count_by_chance();
  std::uint32_t payload_words_by_chance();
  bool add_node(std::vector<HiddenNode>& nodes, std::vector<HiddenNode>& with_room);
  void add_further_edges(std::vector<HiddenNode>& nodes, const std::vector<Held>& older,
                         std::vector<Reference>& children);
  void change_payloads(const std::vector<HiddenNode>& nodes);

  Random& random_;
};

}  // namespace jackdaw::soak
