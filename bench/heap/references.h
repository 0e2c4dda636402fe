// for_each_reference: reads an object's references by its type descriptor, without the marking engine.
#pragma once

#include <cstddef>

#include "base/always_inline.h"
#include "heap/object.h"
#include "heap/type_descriptor.h"

namespace jackdaw::bench {

/// Calls function(reference) for every non-null reference of an object.
template <typename Function>
JACKDAW_ALWAYS_INLINE inline void for_each_reference(heap::Object* object, Function function) {
  const heap::TypeDescriptor& type = *object->type();
  const auto report = [&](std::size_t word) {
    heap::Object* const reference = *object->slot(word);
    if (reference != nullptr) function(reference);
  };
  switch (type.layout()) {
    case heap::TypeDescriptor::Layout::none:
      break;
    case heap::TypeDescriptor::Layout::words:
      for (std::size_t i = type.words().first, end = i + type.words().count; i != end; ++i) report(i);
      break;
    case heap::TypeDescriptor::Layout::offsets:
      for (const std::uint32_t word : type.reference_words()) report(word);
      break;
    case heap::TypeDescriptor::Layout::reference_array:
      for (std::size_t i = heap::Object::kArrayHeaderWords, end = i + object->array_length(); i != end; ++i)
        report(i);
      break;
  }
}

}  // namespace jackdaw::bench
