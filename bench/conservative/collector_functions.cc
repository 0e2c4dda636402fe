#include "bench/conservative/collector_functions.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "bench/command/input_error.h"

namespace jackdaw::bench {

namespace {

constexpr const char* kLibgc = "libgc.so.1";

[[noreturn]] void fail_to_load() {
  throw InputError(
      fmt::format("--baseline boehm: {}; install libgc 8.2 (Debian: libgc1), or leave it out", dlerror()));
}

// Local: neither its names nor ours, which are the same, are looked up in the other. Never closed: its mark
// threads run in it.
CollectorFunctions load_libgc() {
  void* const library = dlopen(kLibgc, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail_to_load();
  CollectorFunctions functions;
  functions.name = "Boehm GC";
  const auto load = [library]<typename Function>(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    if (function == nullptr) fail_to_load();
  };
#define JACKDAW_LOAD(function) load("GC_" #function, functions.function)
  JACKDAW_FOR_EACH_COLLECTOR_FUNCTION(JACKDAW_LOAD);
#undef JACKDAW_LOAD
  return functions;
}

CollectorFunctions link_jackdaw() {
  CollectorFunctions functions;
  functions.name = "Jackdaw";
#define JACKDAW_LINK(function) functions.function = (&GC_##function)
  JACKDAW_FOR_EACH_COLLECTOR_FUNCTION(JACKDAW_LINK);
#undef JACKDAW_LINK
  return functions;
}

}  // namespace

const CollectorFunctions& jackdaw_functions() {
  static const CollectorFunctions kFunctions = link_jackdaw();
  return kFunctions;
}

const CollectorFunctions& libgc_functions() {
  static const CollectorFunctions kFunctions = load_libgc();
  return kFunctions;
}

}  // namespace jackdaw::bench
