// Jackdaw's precise C++ interface, in the style of V8's cppgc: types that say where their references are.
// docs/cpp-interface.md is the guide. Link jackdaw::jackdaw or jackdaw::static.
#pragma once

#if __cplusplus < 202002L
#error "Jackdaw's C++ interface needs C++20: compile with -std=c++20"
#else

#include "gc/cpp/collect_garbage.h"         // IWYU pragma: export
#include "gc/cpp/containers.h"              // IWYU pragma: export
#include "gc/cpp/ephemeron.h"               // IWYU pragma: export
#include "gc/cpp/garbage_collected.h"       // IWYU pragma: export
#include "gc/cpp/make_garbage_collected.h"  // IWYU pragma: export
#include "gc/cpp/member.h"                  // IWYU pragma: export
#include "gc/cpp/persistent.h"              // IWYU pragma: export
#include "gc/cpp/visitor.h"                 // IWYU pragma: export
#include "gc/cpp/weak_map.h"                // IWYU pragma: export

#endif
