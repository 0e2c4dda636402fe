// HiddenObject: an address that no collection takes for one, to ask afterwards what became of the object.
#pragma once

#include <cstdint>
#include <vector>

#include "gc/process/process_collector.h"

namespace jackdaw {

class HiddenObject {
 public:
  explicit HiddenObject(const void* object) : bits_(~reinterpret_cast<std::uintptr_t>(object)) {}
  [[nodiscard]] bool is_alive() const {
    const auto* const object = reinterpret_cast<const void*>(~bits_);
    return gc::ProcessCollector::instance().heap().object_at(object) != nullptr;
  }

 private:
  std::uintptr_t bits_;
};

inline std::size_t count_alive(const std::vector<HiddenObject>& objects) {
  std::size_t count = 0;
  for (const HiddenObject& object : objects) count += object.is_alive() ? 1 : 0;
  return count;
}

}  // namespace jackdaw
