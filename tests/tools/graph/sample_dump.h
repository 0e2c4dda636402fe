// A small heap dump that holds one of everything: the input of the tests that cut and bend it.
#pragma once

#include "tests/tools/graph/hprof_builder.h"

namespace jackdaw::tools {

/// Two segments with 3 classes (one described after its instance, one a subclass), 2 instances, 2 arrays and
/// roots of every kind, after and between records of no interest.
[[nodiscard]] inline HprofBuilder sample_dump(unsigned identifier_bytes = 8) {
  HprofBuilder dump(identifier_bytes);
  dump.string(0x51, "Base").string(0x52, "Derived").class_name(0x100, 0x51).class_name(0x200, 0x52);
  dump.begin_record(0x05).u4(1).u4(0).u4(0).end_record();  // a stack trace
  dump.begin_heap();
  dump.begin_instance(0x10, 0x200, 2 * identifier_bytes + 5).identifier(0x20).u1(1).identifier(0x30).u4(9);
  dump.describe_class(0x100, 0, {.loader = 0x10, .fields = {HprofType::reference, HprofType::int32}});
  dump.describe_class(0x200, 0x100,
                      {.static_references = {0x20, 0},
                       .static_ints = 1,
                       .fields = {HprofType::reference, HprofType::boolean}});
  dump.end_record();
  dump.begin_record(0x0c);
  dump.u1(0xff).identifier(0x10);
  dump.u1(0x01).identifier(0x10).identifier(0x77);
  dump.u1(0x02).identifier(0x20).u4(0).u4(0);
  dump.u1(0x03).identifier(0x20).u4(0).u4(0);
  dump.u1(0x04).identifier(0x30).u4(0);
  dump.u1(0x05).identifier(0x100);
  dump.u1(0x06).identifier(0x10).u4(0);
  dump.u1(0x07).identifier(0x10);
  dump.u1(0x08).identifier(0x999).u4(0).u4(0);  // dangling
  dump.describe_class(0x300);
  dump.begin_instance(0x11, 0x300, 0);
  dump.object_array(0x20, 0x300, {0x10, 0, 0x30, 0x999});
  dump.begin_primitive_array(0x30, 3, HprofType::int16).u2(1).u2(2).u2(3);
  dump.end_record();
  dump.begin_record(0x2c).end_record();
  return dump;
}

/// A dump of Android: each of its own sub-records once, around a class, two instances and an array whose
/// elements are left out.
[[nodiscard]] inline HprofBuilder android_dump(unsigned identifier_bytes = 4) {
  HprofBuilder dump(identifier_bytes, "1.0.3");
  dump.string(0x51, "app").begin_heap();
  dump.u1(0xfe).u4('A').identifier(0x51);  // the heap of what follows
  for (const unsigned tag : {0x89U, 0x8aU, 0x8bU, 0x8cU, 0x8dU}) dump.u1(tag).identifier(0x20);
  dump.u1(0x8e).identifier(0x10).u4(1).u4(2);  // a thread and a frame
  dump.u1(0x90).identifier(0x21);
  dump.describe_class(0x10).begin_instance(0x20, 0x10, 0).begin_instance(0x21, 0x10, 0);
  dump.u1(0xc3).identifier(0x30).u4(0).u4(3).u1(static_cast<std::uint8_t>(HprofType::int64));
  dump.end_record();
  dump.begin_record(0x2c).end_record();
  return dump;
}

}  // namespace jackdaw::tools
