#include "gc/process/static_roots.h"

#include <link.h>

#include <algorithm>
#include <new>
#include <span>
#include <utility>

namespace jackdaw::gc {

namespace {

std::uintptr_t begin_of(heap::Words words) { return reinterpret_cast<std::uintptr_t>(words.data()); }
std::uintptr_t end_of(heap::Words words) { return begin_of(words) + words.size_bytes(); }

// One walk over the loaded objects.
struct Walk {
  heap::SystemVector<heap::Words>& found;
  void (*stop_threads)(void*);
  void* argument;
  bool is_complete = true;
};

// Called for each loaded object, with the loader's list locked. The first call stops the threads: from then
// on nobody changes the list, and nobody was changing it.
int visit_object(dl_phdr_info* object, std::size_t, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  if (walk.stop_threads != nullptr) {
    walk.stop_threads(walk.argument);
    walk.stop_threads = nullptr;
  }
  for (const ElfW(Phdr) & header : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    try {
      walk.found.push_back(heap::whole_words_between(begin, begin + header.p_memsz));
    } catch (const std::bad_alloc&) {
      walk.is_complete = false;
      return 1;
    }
  }
  return 0;
}

}  // namespace

void StaticRoots::add(const void* begin, const void* end) {
  const std::lock_guard lock(mutex_);
  const heap::Words words = heap::whole_words_between(reinterpret_cast<std::uintptr_t>(begin),
                                                      reinterpret_cast<std::uintptr_t>(end));
  if (!words.empty()) added_.push_back(words);
}

void StaticRoots::remove(const void* begin, const void* end) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const auto to = reinterpret_cast<std::uintptr_t>(end);
  const std::lock_guard lock(mutex_);
  heap::SystemVector<heap::Words> left;
  for (const heap::Words words : added_) {
    const heap::Words before = heap::whole_words_between(begin_of(words), std::min(end_of(words), from));
    const heap::Words after = heap::whole_words_between(std::max(begin_of(words), to), end_of(words));
    if (!before.empty()) left.push_back(before);
    if (!after.empty()) left.push_back(after);
  }
  added_ = std::move(left);
}

bool StaticRoots::take_with(void (*stop_threads)(void*), void* argument) {
  mutex_.lock();
  of_objects_.clear();
  Walk walk{of_objects_, stop_threads, argument};
  dl_iterate_phdr(visit_object, &walk);
  return walk.is_complete;
}

}  // namespace jackdaw::gc
