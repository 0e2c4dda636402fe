// TraceDescriptor: the header of an object of a C++ type is a pointer where it is written.
#include "gc/marking/layout_word.h"

#include <gtest/gtest.h>

namespace jackdaw::gc {
namespace {

// Reads, writes and reads again what a compiler that may believe in types still has in a register.
[[gnu::noinline]] const TraceDescriptor* descriptor_after_store(const heap::Object* object,
                                                                const TraceDescriptor** header,
                                                                const TraceDescriptor* descriptor) {
  const TraceDescriptor* const before = TraceDescriptor::of(object);
  *header = descriptor;
  return before != nullptr ? nullptr : TraceDescriptor::of(object);
}

TEST(TraceDescriptor, IsReadAgainAfterTheHeaderWasWritten) {
  const TraceDescriptor descriptor;
  const TraceDescriptor* header = nullptr;
  void* volatile hidden = &header;  // so that the compiler does not know that it is the object
  EXPECT_EQ(descriptor_after_store(static_cast<const heap::Object*>(hidden), &header, &descriptor),
            &descriptor);
}

}  // namespace
}  // namespace jackdaw::gc
