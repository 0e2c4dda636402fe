#include "gc/process/roots/static_roots.h"

#include <link.h>

#include <algorithm>

#include "base/page_vector.h"

namespace jackdaw::gc {

namespace {

base::AddressRange range_between(const void* begin, const void* end) {
  return {reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(end)};
}

// Appends `range` without the parts that lie in `excluded`. False when there is no memory for it.
bool append_without(base::AddressRange range, std::span<const base::AddressRange> excluded,
                    base::PageVector<base::AddressRange>& ranges) {
  for (; !excluded.empty(); excluded = excluded.subspan(1)) {
    const base::AddressRange& gap = excluded.front();
    if (gap.end <= range.begin || range.end <= gap.begin) continue;
    if (!append_without({range.begin, gap.begin}, excluded.subspan(1), ranges)) return false;
    range.begin = gap.end;
  }
  return range.empty() || ranges.append(range);
}

}  // namespace

void StaticRoots::add_to(base::PageVector<base::AddressRange>& ranges, const void* begin, const void* end) {
  const base::AddressRange range = range_between(begin, end);
  const std::lock_guard lock(mutex_);
  if (!range.empty() && !ranges.append(range)) throw std::bad_alloc();
}

void StaticRoots::remove_from(base::PageVector<base::AddressRange>& ranges, const void* begin,
                              const void* end) {
  const base::AddressRange around = range_between(begin, end);
  const std::lock_guard lock(mutex_);
  ranges.remove_if([&](const base::AddressRange& range) { return around.contains(range); });
}

void StaticRoots::add(const void* begin, const void* end) { add_to(added_, begin, end); }
void StaticRoots::remove(const void* begin, const void* end) { remove_from(added_, begin, end); }
void StaticRoots::add_code(const void* begin, const void* end) { add_to(code_, begin, end); }
void StaticRoots::remove_code(const void* begin, const void* end) { remove_from(code_, begin, end); }

std::uint64_t StaticRoots::code_bytes() const {
  std::uint64_t bytes = 0;
  for (const base::AddressRange& range : code_) bytes += range.end - range.begin;
  return bytes;
}

void StaticRoots::clear() {
  const std::lock_guard lock(mutex_);
  added_.clear();
  code_.clear();
  scans_program_ = false;
}

void StaticRoots::exclude(const void* begin, const void* end) { add_to(excluded_, begin, end); }

void StaticRoots::clear_exclusions() {
  const NestedLock lock(mutex_);
  excluded_.clear();
}

void StaticRoots::set_scans_libraries(bool scans) {
  const NestedLock lock(mutex_);
  scans_libraries_ = scans;
}

bool StaticRoots::scans_libraries() {
  const std::lock_guard lock(mutex_);
  return scans_libraries_;
}

void StaticRoots::set_library_filter(LibraryFilter filter) {
  const NestedLock lock(mutex_);
  library_filter_ = filter;
}

bool StaticRoots::is_in_loaded_data(const void* address) {
  const auto contains = [address](const base::AddressRange& range) {
    return range.contains(reinterpret_cast<std::uintptr_t>(address));
  };
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(scanned_.span(), contains) && std::ranges::none_of(added_, contains);
}

// One walk over the loaded objects.
struct StaticRoots::Walk {
  StaticRoots& roots;
  void (*stop_threads)(void*);
  void* argument;
  bool is_at_program = true;  // the loader's list begins with the program
  bool is_complete = true;

  static int visit(dl_phdr_info* object, std::size_t, void* walk) {
    return static_cast<Walk*>(walk)->visit(*object);
  }

  // Called for each loaded object, with the loader's lock held. The first call stops the threads, so that the
  // list is complete and does not change. Nonzero ends the walk.
  int visit(const dl_phdr_info& object) {
    if (is_at_program) stop_threads(argument);
    roots.unloaded_ = object.dlpi_subs;
    is_complete = roots.note_object(object, is_at_program);
    is_at_program = false;
    return is_complete ? 0 : 1;
  }
};

bool StaticRoots::take_with(void (*stop_threads)(void*), void* argument) {
  mutex_.lock();
  mutex_.let_nobody_pass();
  scanned_.clear();
  modules_.clear();
  Walk walk{*this, stop_threads, argument};
  dl_iterate_phdr(Walk::visit, &walk);
  for (const base::AddressRange& range : added_) {
    walk.is_complete = walk.is_complete && append_without(range, excluded_.span(), scanned_);
  }
  return walk.is_complete;
}

namespace {

base::AddressRange range_of(const dl_phdr_info& object, const ElfW(Phdr) & header) {
  const std::uintptr_t begin = object.dlpi_addr + header.p_vaddr;
  return {begin, begin + header.p_memsz};
}

// Returns the range that the loader write-protected after relocation, which holds no address of an object;
// empty when there is none.
base::AddressRange protected_by_loader(const dl_phdr_info& object) {
  for (const ElfW(Phdr) & header : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    if (header.p_type == PT_GNU_RELRO) return range_of(object, header);
  }
  return {};
}

}  // namespace

// Notes the data and thread_local variables of a loaded object. False when there is no memory for that.
bool StaticRoots::note_object(const dl_phdr_info& object, bool is_program) {
  const base::AddressRange is_protected = protected_by_loader(object);
  for (const ElfW(Phdr) & header : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    if (header.p_type == PT_TLS && !modules_.append({object.dlpi_tls_modid, header.p_memsz})) return false;
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    base::AddressRange range = range_of(object, header);
    const auto* const data = reinterpret_cast<const void*>(range.begin);  // NOLINT(performance-no-int-to-ptr)
    const bool is_scanned =
        is_program ? scans_program_
                   : scans_libraries_ && (library_filter_ == nullptr ||
                                          library_filter_(object.dlpi_name, data, header.p_memsz));
    if (!is_scanned) continue;
    // The protected range lies at the start of the data.
    if (is_protected.begin <= range.begin && range.begin < is_protected.end)
      range.begin = std::min(is_protected.end, range.end);
    if (!append_without(range, excluded_.span(), scanned_)) return false;
  }
  return true;
}

}  // namespace jackdaw::gc
