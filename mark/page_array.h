// PageArray: an array in memory straight from the operating system.
//
// The memory of a worker's queue. A fresh page lies on the memory node of the first thread that writes to
// it; memory from malloc may have been used by a thread of another node before.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include "base/page_memory.h"
#include "base/throw_or_end.h"

namespace jackdaw::mark {

/// Gives an array's pages back.
struct PageRelease {
  std::size_t bytes = 0;

  template <typename Element>
  void operator()(Element* elements) const {
    static_assert(std::is_trivially_destructible_v<Element>);
    base::PageMemory::release(elements, bytes);
  }
};

/// Owns its elements as std::unique_ptr does.
template <typename Element>
using PageArray = std::unique_ptr<Element[], PageRelease>;

/// Makes an array of `count` elements whose bytes are all zero, which must be a value that they may have: no
/// constructor runs, and what is not used takes no memory. Null when there are not so many addresses.
template <typename Element>
PageArray<Element> try_make_page_array(std::size_t count) {
  const std::size_t bytes = count * sizeof(Element);
  void* const memory = base::PageMemory::reserve(bytes);
  if (memory == nullptr) return nullptr;
  return PageArray<Element>(std::launder(static_cast<Element*>(memory)), PageRelease{bytes});
}

/// The same; throws std::bad_alloc when there is no memory.
template <typename Element>
PageArray<Element> make_page_array(std::size_t count) {
  PageArray<Element> elements = try_make_page_array<Element>(count);
  if (elements == nullptr) base::throw_or_end(std::bad_alloc());
  return elements;
}

}  // namespace jackdaw::mark
