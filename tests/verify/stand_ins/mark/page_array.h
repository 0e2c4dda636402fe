// Stands in for mark/page_array.h: the model checker knows the memory of new (see verify.h), and not the
// system's.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace jackdaw::mark {

template <typename Element>
using PageArray = std::unique_ptr<Element[]>;

template <typename Element>
PageArray<Element> try_make_page_array(std::size_t count) {
  return PageArray<Element>(new (std::nothrow) Element[count]);
}

template <typename Element>
PageArray<Element> make_page_array(std::size_t count) {
  return PageArray<Element>(new Element[count]);
}

}  // namespace jackdaw::mark
