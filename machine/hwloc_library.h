// HwlocLibrary: libhwloc, loaded only where a topology is looked at, as it takes a millisecond and megabytes
// and only machines with several memory nodes need it.
#pragma once

#include <hwloc.h>
#include <hwloc/distances.h>

namespace jackdaw::machine {

/// The functions of libhwloc 2 that Topology calls.
struct HwlocLibrary {
  /// Loads the library, unless it is loaded. Returns null when it is not installed. Any thread.
  static const HwlocLibrary* load();

  decltype(&hwloc_topology_init) topology_init;
  decltype(&hwloc_topology_load) topology_load;
  decltype(&hwloc_topology_destroy) topology_destroy;
  decltype(&hwloc_topology_set_flags) topology_set_flags;
  decltype(&hwloc_topology_is_thissystem) topology_is_thissystem;
  decltype(&hwloc_topology_restrict) topology_restrict;
  decltype(&hwloc_get_type_depth) get_type_depth;
  decltype(&hwloc_get_obj_by_depth) get_obj_by_depth;
  decltype(&hwloc_get_cpubind) get_cpubind;
  decltype(&hwloc_set_cpubind) set_cpubind;
  decltype(&hwloc_bitmap_alloc) bitmap_alloc;
  decltype(&hwloc_bitmap_free) bitmap_free;
  decltype(&hwloc_bitmap_set) bitmap_set;
  decltype(&hwloc_bitmap_weight) bitmap_weight;
  decltype(&hwloc_distances_get_by_type) distances_get_by_type;
  decltype(&hwloc_distances_release) distances_release;
};

}  // namespace jackdaw::machine
