#include "bench/conservative/collector_functions.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "tools/command/input_error.h"

namespace jackdaw::bench {

namespace {

constexpr const char* kLibgc = "libgc.so.1";

[[noreturn]] void fail_to_load(const std::string& folder) {
  if (!folder.empty()) throw tools::InputError(fmt::format("--libgc {}: {}", folder, dlerror()));
  throw tools::InputError(
      fmt::format("--baseline boehm: {}; install libgc 8.2 (Debian: libgc1), or leave it out", dlerror()));
}

std::string library_in(const std::string& folder) {
  if (folder.empty()) return kLibgc;
  for (const auto& path :
       {std::filesystem::path(folder) / kLibgc, std::filesystem::path(folder) / "lib" / kLibgc}) {
    std::error_code error;
    if (std::filesystem::exists(path, error)) return std::filesystem::absolute(path).string();
  }
  throw tools::InputError(
      fmt::format("--libgc {0}: there is no {1} in it or in its folder lib", folder, kLibgc));
}

}  // namespace

CollectorFunctions jackdaw_functions() {
  CollectorFunctions functions;
  functions.name = "Jackdaw";
#define JACKDAW_LINK(function) functions.function = (&GC_##function)
  JACKDAW_FOR_EACH_COLLECTOR_FUNCTION(JACKDAW_LINK);
#undef JACKDAW_LINK
  return functions;
}

// The library is opened locally, so that its names and ours, which are equal, are not confused. It is never
// closed, because its mark threads run in it.
CollectorFunctions libgc_functions(const std::string& folder) {
  void* const library = dlopen(library_in(folder).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail_to_load(folder);
  CollectorFunctions functions;
  functions.name = "Boehm GC";
  const auto load = [&]<typename Function>(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    if (function == nullptr) fail_to_load(folder);
  };
#define JACKDAW_LOAD(function) load("GC_" #function, functions.function)
  JACKDAW_FOR_EACH_COLLECTOR_FUNCTION(JACKDAW_LOAD);
#undef JACKDAW_LOAD
  return functions;
}

std::string CollectorFunctions::version() const {
  const unsigned encoded = get_version();  // a byte for each of the three numbers
  return fmt::format("{}.{}.{}", encoded >> 16, encoded >> 8 & 0xff, encoded & 0xff);
}

}  // namespace jackdaw::bench
