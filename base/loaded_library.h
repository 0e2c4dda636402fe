// Shared libraries that are loaded when they are needed, so that programs that do not need them are spared
// the time and the memory, and can be linked without them.
#pragma once

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <span>

namespace jackdaw::base {

/// Whether the program was linked dynamically, and so has a loader. In one that was linked with -static, the
/// loader would bring a second C library, which must be that of the same version. Any thread.
inline bool has_loader() {
  const auto* const headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  if (headers == nullptr) return false;
  for (const ElfW(Phdr) & header : std::span(headers, getauxval(AT_PHNUM)))
    if (header.p_type == PT_INTERP) return true;
  return false;
}

/// Loads the shared library of that name, for good. Returns null where there is none, or no loader. Not with
/// a lock that an allocating thread may want, as the loader runs libraries' code. Any thread.
inline void* load_library(const char* name) {
  return has_loader() ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
}

/// Sets `function` to the one of that name in a library that load_library() returned. Returns false, with it
/// null, where there is none. Any thread.
template <typename Function>
bool find_function(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace jackdaw::base
