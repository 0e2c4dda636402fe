// A Java heap dump of a program whose static map grows: class Leak has a map in its static field cache, which
// leads to arrays of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tools/graph/hprof_builder.h"

namespace jackdaw::tools {

/// The identifiers of the dump's objects; entry and array number N of the map are that far behind the first.
enum LeakingObject : std::uint64_t {
  kLeakClass = 0x100,
  kMapClass,
  kTableClass,
  kEntryClass,
  kThreadClass,
  kStringClass,
  kLoaderClass,
  kWorkerClass,
  kLoader = 0x200,
  kMap,
  kTable,
  kMainThread,
  kMainName,
  kMainLetters,
  kWorkerThread,
  kWorkerName,
  kWorkerLetters,
  kFirstEntry = 0x1000,
  kFirstArray = 0x2000,
};

/// The map has `entries` arrays of a KiB, 4096 at most. Thread main has a local in Leak.fill; a thread of a
/// class derived from Thread, whose name is in UTF-16, has a JNI local. Fields of classes and roots come in
/// HotSpot's order.
[[nodiscard]] inline HprofBuilder leaking_dump(std::uint64_t entries, unsigned identifier_bytes = 8) {
  HprofBuilder dump(identifier_bytes);
  std::uint64_t strings = 0x10;
  const auto string = [&](std::string_view text) {
    dump.string(++strings, text);
    return strings;
  };
  std::uint64_t serial = 0;
  const auto class_called = [&](std::uint64_t id, std::string_view name) {
    dump.class_name(id, string(name), ++serial);
  };
  class_called(kLeakClass, "org/example/Leak");
  class_called(kMapClass, "java/util/HashMap");
  class_called(kTableClass, "[Ljava/util/HashMap$Node;");
  class_called(kEntryClass, "java/util/HashMap$Node");
  class_called(kThreadClass, "java/lang/Thread");
  class_called(kStringClass, "java/lang/String");
  class_called(kLoaderClass, "java/lang/ClassLoader");
  class_called(kWorkerClass, "org/example/Worker");
  const std::uint64_t cache = string("cache"), table = string("table"), next = string("next"),
                      value = string("value"), name = string("name"), classes = string("classes"),
                      other = string("other");
  dump.frame(1, string("fill"), string("Leak.java"), 1, 12).frame(2, string("main"), string(""), 1, 0);
  dump.trace(1, 0, {}).trace(2, 1, {1, 2}).trace(3, 2, {2});

  using enum HprofType;
  dump.begin_heap();
  dump.describe_class(kLeakClass, 0,
                      {.loader = kLoader, .static_references = {0, kMap}, .names = {other, cache}});
  dump.describe_class(kMapClass, 0, {.fields = {int32, reference}, .names = {1, table}});
  dump.describe_class(kTableClass);
  dump.describe_class(kEntryClass, 0, {.fields = {reference, reference}, .names = {next, value}});
  dump.describe_class(kThreadClass, 0, {.fields = {reference}, .names = {name}});
  dump.describe_class(kStringClass, 0, {.fields = {reference}, .names = {value}});
  dump.describe_class(kLoaderClass, 0, {.fields = {reference}, .names = {classes}});
  dump.describe_class(kWorkerClass, kThreadClass, {.fields = {reference}, .names = {name}});

  dump.begin_instance(kLoader, kLoaderClass, identifier_bytes).identifier(kLeakClass);
  dump.begin_instance(kMap, kMapClass, 4 + identifier_bytes).u4(entries).identifier(kTable);
  std::vector<std::uint64_t> elements;
  for (std::uint64_t i = 0; i < entries; ++i) {
    elements.push_back(kFirstEntry + i);
    dump.begin_instance(kFirstEntry + i, kEntryClass, 2 * identifier_bytes).identifier(0);
    dump.identifier(kFirstArray + i);
    dump.begin_primitive_array(kFirstArray + i, 1024, int8).text(std::string(1024, 'x'));
  }
  dump.object_array(kTable, kTableClass, elements);
  // A name comes before the object that leads to it, as a heap's order is any.
  dump.begin_primitive_array(kMainLetters, 4, int8).text("main");
  dump.begin_instance(kMainName, kStringClass, identifier_bytes).identifier(kMainLetters);
  dump.begin_instance(kMainThread, kThreadClass, identifier_bytes).identifier(kMainName);
  dump.begin_primitive_array(kWorkerLetters, 4, int8).u2(0x5700).u2(0xac20);
  dump.begin_instance(kWorkerName, kStringClass, identifier_bytes).identifier(kWorkerLetters);
  dump.begin_instance(kWorkerThread, kWorkerClass, 2 * identifier_bytes)
      .identifier(0)
      .identifier(kWorkerName);

  dump.u1(0x08).identifier(kMainThread).u4(1).u4(2).u1(0x08).identifier(kWorkerThread).u4(2).u4(3);
  dump.u1(0x03).identifier(kMainName).u4(1).u4(0);
  dump.u1(0x02).identifier(kWorkerName).u4(2).u4(0);
  dump.u1(0x01).identifier(kLoader).identifier(0x77);
  dump.root(kThreadClass).end_record().begin_record(0x2c).end_record();
  return dump;
}

}  // namespace jackdaw::tools
