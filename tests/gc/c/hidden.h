// Objects that nothing visible refers to: how the tests of the C interface drop them and ask what became of
// them.
#pragma once

#include <cstddef>
#include <vector>

#include "gc/c/interface.h"
#include "gc/c/start.h"
#include "tests/gc/clean_stack.h"

namespace jackdaw::c_interface {

/// An address that no collection takes for one.
class Hidden {
 public:
  explicit Hidden(const void* object) : bits_(GC_HIDE_POINTER(object)) {}
  [[nodiscard]] void* address() const { return GC_REVEAL_POINTER(bits_); }
  [[nodiscard]] bool is_there() const { return GC_base(address()) != nullptr; }

 private:
  GC_hidden_pointer bits_;
};

inline constexpr std::size_t kManyObjects = 100;

/// Calls `use(object)` with many new objects of `bytes` bytes, which are not referred to afterwards. A stale
/// word somewhere may keep one or another of them.
template <typename Use>
[[gnu::noinline]] std::vector<Hidden> drop_many(std::size_t bytes, Use use) {
  std::vector<Hidden> hidden;
  for (std::size_t i = 0; i < kManyObjects; ++i) {
    void* const object = GC_malloc(bytes);
    use(object);
    hidden.emplace_back(object);
  }
  return hidden;
}
[[gnu::noinline]] inline std::vector<Hidden> drop_many(std::size_t bytes) {
  return drop_many(bytes, [](void*) {});
}

inline std::size_t count_there(const std::vector<Hidden>& objects) {
  std::size_t count = 0;
  for (const Hidden& object : objects) count += object.is_there() ? 1 : 0;
  return count;
}

/// Whether no thread holds the collector's lock.
inline bool lock_is_free() {
  if (!collector().lock().try_lock()) return false;
  collector().lock().unlock();
  return true;
}

/// Collects, with nothing stale on the stack.
[[gnu::noinline]] inline void collect() {
  clean_stack();
  GC_gcollect();
}

}  // namespace jackdaw::c_interface
