// UsableProcessors: how many threads of this process can run at once.
#pragma once

#include <cstdint>

#include "machine/control_groups.h"

namespace jackdaw::machine {

/// The processors that the calling thread may run on, and not more than the processor time that the process's
/// control groups leave it, rounded up: a container with 2.5 processors' time can use 3. At least 1. Reads a
/// handful of small files. Any thread. Throws std::bad_alloc.
std::uint32_t usable_processors(const KernelFolders& folders = {});

}  // namespace jackdaw::machine
