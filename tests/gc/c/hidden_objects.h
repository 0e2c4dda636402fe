// Objects that a test knows the addresses of and no collection does, to ask later which are still there.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "gc/c/interface.h"
#include "tests/gc/clean_stack.h"

namespace jackdaw::c_interface {

// To go through.
using Sizes = std::initializer_list<std::size_t>;

class HiddenObjects {
 public:
  void add(const void* object) { hidden_.push_back(GC_HIDE_POINTER(object)); }
  void add(const HiddenObjects& others) {
    hidden_.insert(hidden_.end(), others.hidden_.begin(), others.hidden_.end());
  }
  [[nodiscard]] std::size_t size() const { return hidden_.size(); }
  [[nodiscard]] std::size_t still_there() const {
    std::size_t count = 0;
    for (const GC_hidden_pointer hidden : hidden_) count += GC_base(GC_REVEAL_POINTER(hidden)) != nullptr;
    return count;
  }

 private:
  std::vector<GC_hidden_pointer> hidden_;
};

// Whether the memory of an object that was freed serves another one of the size, before any collection.
inline bool is_given_out_again(const void* freed, std::size_t bytes) {
  const GC_word collections = GC_get_gc_no();
  for (int i = 0; i < 1000; ++i) {
    if (GC_malloc(bytes) == freed) return GC_get_gc_no() == collections;
  }
  return false;
}

// A test makes this number of objects of each sort, so that a few stale words do not matter.
inline constexpr std::size_t kMany = 1000;
// Stale words may keep this number of objects.
inline constexpr std::size_t kFew = 10;

// Collects when nothing is left on the stack of what the caller's callees had there.
[[gnu::noinline]] inline void collect_cleanly() {
  clean_stack();
  GC_gcollect();
}

// Calls `make()`, which returns a new object, many times. Nothing is left of the objects but what it stored.
template <typename Make>
[[gnu::noinline]] HiddenObjects hidden_objects(Make make) {
  HiddenObjects objects;
  for (std::size_t i = 0; i < kMany; ++i) objects.add(make());
  return objects;
}

}  // namespace jackdaw::c_interface
