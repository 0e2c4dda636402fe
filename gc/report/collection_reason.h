// CollectionReason: why the process's collector collects.
#pragma once

#include <cstdint>
#include <string_view>

namespace jackdaw::gc {

enum class CollectionReason : std::uint8_t {
  allocation,     ///< the budget was used up
  finalizers,     ///< the heap would have grown, with too many new finalizers
  out_of_memory,  ///< memory ran out
  pressure,       ///< processes had to wait for memory
  request,        ///< the program asked for it
};

/// Returns the name of a reason for the log, one word.
constexpr std::string_view name_of(CollectionReason reason) {
  switch (reason) {
    case CollectionReason::allocation:
      return "allocation";
    case CollectionReason::finalizers:
      return "finalizers";
    case CollectionReason::out_of_memory:
      return "out-of-memory";
    case CollectionReason::pressure:
      return "memory-pressure";
    case CollectionReason::request:
      return "request";
  }
  return "";
}

}  // namespace jackdaw::gc
