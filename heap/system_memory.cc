#include "heap/system_memory.h"

#include <sys/mman.h>

namespace jackdaw::heap {

std::span<std::byte> map_memory(std::size_t bytes) {
  if (bytes == 0) return {};
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return {};
  return {static_cast<std::byte*>(memory), bytes};
}

void unmap_memory(std::span<std::byte> memory) {
  if (!memory.empty()) munmap(memory.data(), memory.size());
}

}  // namespace jackdaw::heap
