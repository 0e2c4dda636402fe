// hwloc on demand: the functions of hwloc that topology.cc calls, for shared libraries. hwloc is loaded by
// the first call, not with every program, as it takes a millisecond and megabytes and only machines with
// several memory nodes need it. Where it cannot be loaded, hwloc_topology_init fails and the others are not
// called.
#include <dlfcn.h>
#include <hwloc.h>
#include <hwloc/distances.h>

namespace {

void* find_function(const char* name) {
  static void* const kLibrary = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
  return kLibrary == nullptr ? nullptr : dlsym(kLibrary, name);
}

// Calls the function of that name and type, or returns `failure` where there is none.
template <typename Result, typename... Parameters>
Result call(const char* name, Result failure, Parameters... arguments) {
  const auto function = reinterpret_cast<Result (*)(Parameters...)>(find_function(name));
  return function == nullptr ? failure : function(arguments...);
}
template <typename... Parameters>
void call(const char* name, Parameters... arguments) {
  const auto function = reinterpret_cast<void (*)(Parameters...)>(find_function(name));
  if (function != nullptr) function(arguments...);
}

}  // namespace

extern "C" {

int hwloc_topology_init(hwloc_topology_t* topology) { return call(__func__, -1, topology); }
int hwloc_topology_load(hwloc_topology_t topology) { return call(__func__, -1, topology); }
void hwloc_topology_destroy(hwloc_topology_t topology) { call(__func__, topology); }
int hwloc_topology_set_flags(hwloc_topology_t topology, unsigned long flags) {
  return call(__func__, -1, topology, flags);
}
int hwloc_topology_is_thissystem(hwloc_topology_t topology) { return call(__func__, 0, topology); }
int hwloc_topology_restrict(hwloc_topology_t topology, hwloc_const_bitmap_t set, unsigned long flags) {
  return call(__func__, -1, topology, set, flags);
}
int hwloc_get_type_depth(hwloc_topology_t topology, hwloc_obj_type_t type) {
  return call(__func__, -1, topology, type);
}
hwloc_obj_t hwloc_get_obj_by_depth(hwloc_topology_t topology, int depth, unsigned idx) {
  return call(__func__, hwloc_obj_t{}, topology, depth, idx);
}
int hwloc_get_cpubind(hwloc_topology_t topology, hwloc_bitmap_t set, int flags) {
  return call(__func__, -1, topology, set, flags);
}
int hwloc_set_cpubind(hwloc_topology_t topology, hwloc_const_bitmap_t set, int flags) {
  return call(__func__, -1, topology, set, flags);
}
hwloc_bitmap_t hwloc_bitmap_alloc() { return call(__func__, hwloc_bitmap_t{}); }
void hwloc_bitmap_free(hwloc_bitmap_t bitmap) { call(__func__, bitmap); }
int hwloc_bitmap_set(hwloc_bitmap_t bitmap, unsigned id) { return call(__func__, -1, bitmap, id); }
int hwloc_bitmap_weight(hwloc_const_bitmap_t bitmap) { return call(__func__, -1, bitmap); }
int hwloc_distances_get_by_type(hwloc_topology_t topology, hwloc_obj_type_t type, unsigned* nr,
                                hwloc_distances_s** distances, unsigned long kind, unsigned long flags) {
  return call(__func__, -1, topology, type, nr, distances, kind, flags);
}
void hwloc_distances_release(hwloc_topology_t topology, hwloc_distances_s* distances) {
  call(__func__, topology, distances);
}

}  // extern "C"
