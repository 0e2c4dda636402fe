#include "machine/hwloc_library.h"

#include "base/loaded_library.h"

namespace jackdaw::machine {

// Headers of another major version would describe other structures than those of the library below.
static_assert(HWLOC_API_VERSION >> 16 == 2, "Jackdaw needs the headers of hwloc 2");

const HwlocLibrary* HwlocLibrary::load() {
  static HwlocLibrary functions{};
  static const bool kIsWhole = [] {
    void* const library = base::load_library("libhwloc.so.15");
    const auto find = [library](const char* name, auto& function) {
      return base::find_function(library, name, function);
    };
    return library != nullptr && find("hwloc_topology_init", functions.topology_init) &&
           find("hwloc_topology_load", functions.topology_load) &&
           find("hwloc_topology_destroy", functions.topology_destroy) &&
           find("hwloc_topology_set_flags", functions.topology_set_flags) &&
           find("hwloc_topology_is_thissystem", functions.topology_is_thissystem) &&
           find("hwloc_topology_restrict", functions.topology_restrict) &&
           find("hwloc_get_type_depth", functions.get_type_depth) &&
           find("hwloc_get_obj_by_depth", functions.get_obj_by_depth) &&
           find("hwloc_get_cpubind", functions.get_cpubind) &&
           find("hwloc_set_cpubind", functions.set_cpubind) &&
           find("hwloc_bitmap_alloc", functions.bitmap_alloc) &&
           find("hwloc_bitmap_free", functions.bitmap_free) &&
           find("hwloc_bitmap_set", functions.bitmap_set) &&
           find("hwloc_bitmap_weight", functions.bitmap_weight) &&
           find("hwloc_distances_get_by_type", functions.distances_get_by_type) &&
           find("hwloc_distances_release", functions.distances_release);
  }();
  return kIsWhole ? &functions : nullptr;
}

}  // namespace jackdaw::machine
