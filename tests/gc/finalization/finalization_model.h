// FinalizationModel: what a collection does to finalizers, links and toggle references, by the book and one
// object at a time: the model that the collector's tables are held to.
//
// Objects are numbers. It shares no code with the collector.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "gc/finalization/finalizers.h"

namespace jackdaw::gc {

class FinalizationModel {
 public:
  struct ModelFinalizer {
    FinalizerKind kind;
    std::optional<std::size_t> data;  // an object
  };
  struct ModelLink {
    std::optional<std::size_t> box;  // the object that it lies in, or none
    std::size_t target;
    bool is_cleared = false;
  };
  using Links = std::map<std::size_t, ModelLink>;  // the registered ones, by number

  std::vector<std::vector<std::size_t>> references;  // of each object
  std::set<std::size_t> roots;
  std::map<std::size_t, ModelFinalizer> finalizers;
  std::map<std::size_t, ModelFinalizer> ready;
  Links short_links;
  Links long_links;
  std::map<std::size_t, bool> toggles;  // whether each is held strongly
  std::set<std::size_t> marked;         // by the last collection
  std::set<std::size_t> cleared_short;  // links that the last collection set to null
  std::set<std::size_t> cleared_long;

  void collect(bool java) {
    mark_roots();
    cleared_short = clear_dead(short_links);
    for (const auto& [object, finalizer] : finalizers) {
      if (!marked.contains(object)) mark_references(object, finalizer.kind);
    }
    const auto chosen = unmarked_finalizable([&](FinalizerKind kind) { return !comes_last(kind, java); });
    make_ready(chosen);
    make_ready(unmarked_finalizable([&](FinalizerKind kind) { return comes_last(kind, java); }));
    drop_dangling(short_links);
    std::erase_if(toggles, [&](const auto& toggle) { return !marked.contains(toggle.first); });
    cleared_long = clear_dead(long_links);
    drop_dangling(long_links);
  }

 private:
  static bool comes_last(FinalizerKind kind, bool java) { return java && kind == FinalizerKind::unreachable; }

  void mark_roots() {
    marked.clear();
    for (const std::size_t root : roots) mark(root);
    for (const auto& [object, is_strong] : toggles) {
      if (is_strong) mark(object);
    }
    for (const auto* const table : {&finalizers, &ready}) {
      for (const auto& [object, finalizer] : *table) {
        if (finalizer.data) mark(*finalizer.data);
      }
    }
    for (const auto& [object, finalizer] : ready) mark(object);
  }

  void mark(std::size_t object) {
    std::vector<std::size_t> to_visit;
    if (marked.insert(object).second) to_visit.push_back(object);
    while (!to_visit.empty()) {
      const std::size_t visited = to_visit.back();
      to_visit.pop_back();
      for (const std::size_t reference : references[visited]) {
        if (marked.insert(reference).second) to_visit.push_back(reference);
      }
    }
  }

  void mark_references(std::size_t object, FinalizerKind kind) {
    if (kind == FinalizerKind::no_order) return;
    for (const std::size_t reference : references[object]) {
      if (kind != FinalizerKind::ignore_self || reference != object) mark(reference);
    }
  }

  template <typename Predicate>
  [[nodiscard]] std::vector<std::size_t> unmarked_finalizable(Predicate has_its_turn) const {
    std::vector<std::size_t> found;
    for (const auto& [object, finalizer] : finalizers) {
      if (!marked.contains(object) && has_its_turn(finalizer.kind)) found.push_back(object);
    }
    return found;
  }

  void make_ready(const std::vector<std::size_t>& objects) {
    for (const std::size_t object : objects) {
      ready.emplace(object, finalizers.at(object));
      finalizers.erase(object);
      mark(object);
    }
  }

  std::set<std::size_t> clear_dead(Links& links) const {
    std::set<std::size_t> cleared;
    for (const auto& [number, link] : links) {
      if (!marked.contains(link.target)) cleared.insert(number);
    }
    for (const std::size_t number : cleared) links.erase(number);
    return cleared;
  }

  void drop_dangling(Links& links) const {
    std::erase_if(links, [&](const auto& link) {
      return link.second.box.has_value() && !marked.contains(*link.second.box);
    });
  }
};

}  // namespace jackdaw::gc
