#include "gc/process/threads/thread_locals.h"

#include <link.h>

#include <algorithm>

#include "base/page_memory.h"

namespace jackdaw::gc {

namespace {

// Behind the initial blocks glibc keeps this much room in the static area for libraries that are loaded
// later, unless its tunables say more. Memory beyond may belong to anything.
constexpr std::uintptr_t kSpareBytes = 1664;

#if defined(__x86_64__)
// The blocks lie below the thread pointer. It leads to a word, and the word behind that leads to the table.
constexpr std::size_t kTableWord = 1;
constexpr bool kBlocksLieBelow = true;
std::uintptr_t thread_pointer() {
  std::uintptr_t pointer = 0;
  asm("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
}
#elif defined(__aarch64__)
// The blocks lie above the thread pointer, which leads to the word that leads to the table.
constexpr std::size_t kTableWord = 0;
constexpr bool kBlocksLieBelow = false;
std::uintptr_t thread_pointer() {
  std::uintptr_t pointer = 0;
  asm("mrs %0, tpidr_el0" : "=r"(pointer));
  return pointer;
}
#else
#error "where are thread_local variables here?"
#endif

// An entry of the table. Module m has entry m; entry 0 is a generation, and the one before it the number of
// entries.
struct alignas(16) Entry {
  std::uintptr_t value;    // the block's address, or all ones when there is none yet
  std::uintptr_t to_free;  // the allocated memory; zero for a block in the static area
};
constexpr std::uintptr_t kNoBlock = ~std::uintptr_t{0};

// Returns null when the thread has no entry for the module. The table may be about to be replaced by a larger
// one, so only readable memory is read. No entry crosses a page's end.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] const Entry* entry_of(std::uintptr_t pointer,
                                                                            std::size_t module) {
  const auto* const table = reinterpret_cast<const Entry* const*>(pointer)[kTableWord];
  const auto address = reinterpret_cast<std::uintptr_t>(table);
  if (!base::is_readable(address - sizeof(Entry)) || table[-1].value < module) return nullptr;
  const Entry* const entry = table + module;
  const auto page_of = [](std::uintptr_t within) { return within / base::page_bytes(); };
  const auto entry_address = reinterpret_cast<std::uintptr_t>(entry);
  const bool is_known = page_of(entry_address) == page_of(address - sizeof(Entry));
  return is_known || base::is_readable(entry_address) ? entry : nullptr;
}

// The findings of a walk over the modules on the calling thread.
struct Walk {
  std::uintptr_t pointer;
  base::AddressRange static_blocks;
  bool agrees = true;
};

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int visit_object(dl_phdr_info* object, std::size_t,
                                                                       void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  const auto told = reinterpret_cast<std::uintptr_t>(object->dlpi_tls_data);
  if (object->dlpi_tls_modid == 0 || told == 0) return 0;
  const Entry* const entry = entry_of(walk.pointer, object->dlpi_tls_modid);
  walk.agrees = entry != nullptr && entry->value == told;
  if (!walk.agrees) return 1;
  if (entry->to_free != 0) return 0;
  std::uintptr_t bytes = 0;
  for (const ElfW(Phdr) & header : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (header.p_type == PT_TLS) bytes = header.p_memsz;
  }
  base::AddressRange& blocks = walk.static_blocks;
  if (blocks.empty()) blocks = {told, told + bytes};
  blocks = {std::min(blocks.begin, told), std::max(blocks.end, told + bytes)};
  return 0;
}

}  // namespace

ThreadLocals ThreadLocals::of_this_thread() {
  Walk walk{thread_pointer(), {}};
  dl_iterate_phdr(visit_object, &walk);
  ThreadLocals locals;
  if (!walk.agrees) return locals;
  locals.thread_pointer_ = walk.pointer;
  const base::AddressRange blocks =
      walk.static_blocks.empty() ? base::AddressRange{walk.pointer, walk.pointer} : walk.static_blocks;
  locals.static_area_ = kBlocksLieBelow ? base::AddressRange{blocks.begin - kSpareBytes, walk.pointer}
                                        : base::AddressRange{walk.pointer, blocks.end + kSpareBytes};
  return locals;
}

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] base::AddressRange ThreadLocals::block_of(
    const ThreadLocalModule& module) const {
  const Entry* const entry = entry_of(thread_pointer_, module.number);
  if (entry == nullptr || entry->value == kNoBlock || entry->value == 0) return {};
  return {entry->value, entry->value + module.bytes};
}

}  // namespace jackdaw::gc
