#include "heap/type_descriptor.h"

namespace jackdaw::heap {

const TypeDescriptor& TypeDescriptor::unused() {
  static const TypeDescriptor kUnused = none(0);
  return kUnused;
}

}  // namespace jackdaw::heap
