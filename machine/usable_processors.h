// UsableProcessors: how many threads of this process can run at once.
#pragma once

#include <cstdint>

#include "machine/control_groups.h"

namespace jackdaw::machine {

/// Returns the number of processors that the calling thread may run on, or fewer if the process's control
/// groups allow less processor time, rounded up: a container with 2.5 processors' time can use 3. At least 1.
/// Reads a few small files. Any thread. Throws std::bad_alloc.
std::uint32_t usable_processors(const KernelFolders& folders = {});

}  // namespace jackdaw::machine
