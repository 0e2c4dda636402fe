// Baselines that mark with OpenMP's tasks, where the compiler has them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "bench/baseline/baseline.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::bench {

/// Whether this build has OpenMP.
bool has_openmp();

/// The baseline of the form ByObject or ByPacket; for the parameters, see HeapMarker. Null without OpenMP.
template <typename Form>
std::unique_ptr<Baseline> make_openmp_marker(heap::Heap& heap, std::span<heap::Object* const> roots,
                                             std::uint32_t threads);

}  // namespace jackdaw::bench
